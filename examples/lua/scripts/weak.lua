-- Weak tables and ephemerons: entries go when their keys do.
local count = tonumber((...)) or 20000
local weak_keys = setmetatable({}, {__mode = "k"})
local weak_values = setmetatable({}, {__mode = "v"})
local strong = {}
for i = 1, count do
  local key = {i}
  weak_keys[key] = {owner = key, text = ("v"):rep(i % 100)}
  weak_values[i] = key
  if i % 10 == 0 then strong[#strong + 1] = key end
end
collectgarbage()
collectgarbage()
local keys, values = 0, 0
for _ in pairs(weak_keys) do keys = keys + 1 end
for _ in pairs(weak_values) do values = values + 1 end
assert(keys == #strong and values == #strong, keys .. " " .. values)
return keys
