-- Closures, coroutines, metatables and finalizers.
local rounds = tonumber((...)) or 2000
local finalized, check = 0, 0
local Account = {}
Account.__index = Account
Account.__gc = function() finalized = finalized + 1 end
Account.__add = function(x, y) return setmetatable({v = x.v + y.v}, Account) end

for r = 1, rounds do
  local adders = {}
  for i = 1, 10 do
    local held = i * r
    adders[i] = function(x) held = held + x; return held end
  end
  for i = 1, 10 do check = (check + adders[i](i)) % 1000000007 end
  local generate = coroutine.wrap(function()
    for i = 1, 20 do coroutine.yield({i, tostring(i)}) end
  end)
  for i = 1, 20 do check = check + generate()[1] end
  local sum = setmetatable({v = 0}, Account)
  for i = 1, 5 do sum = sum + setmetatable({v = i}, Account) end
  check = check + sum.v
end
collectgarbage()
collectgarbage()
assert(finalized == rounds * 11, "finalizers: " .. finalized)
return check
