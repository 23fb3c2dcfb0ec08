-- Tables: arrays and maps that grow, are emptied, and are dropped at different ages.
local rounds = tonumber((...)) or 20
local seed = 42
local function random(n)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed % n + 1
end

local kept, check = {}, 0
for r = 1, rounds do
  for i = 1, 400 do
    local slot = random(500)
    local t = {id = i, list = {}, map = {}}
    for k = 1, random(60) do t.list[k] = k * r end
    for k = 1, random(20) do t.map["k" .. random(100)] = {k, r} end
    local old = kept[slot]
    if old then check = (check + #old.list + old.id) % 1000000007 end
    kept[slot] = t
  end
  local big = {}
  for i = 1, 20000 do big[i] = i end
  for i = 20000, 1, -1 do big[i] = nil end
  local queue, first = {}, 1
  for i = 1, 3000 do
    queue[#queue + 1] = {i}
    if i % 3 == 0 then check = check + table.remove(queue, 1)[1] end
    if #queue > 200 then queue = {table.unpack(queue, 101)} end
  end
end
return check
