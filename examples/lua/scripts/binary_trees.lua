-- Binary trees: many small tables that live briefly, beside one tree that stays.
local depth = tonumber((...)) or 10

local function make(d)
  if d == 0 then return {} end
  return {make(d - 1), make(d - 1)}
end

local function count(t)
  if not t[1] then return 1 end
  return 1 + count(t[1]) + count(t[2])
end

local stays, sum = make(depth), 0
for d = 4, depth, 2 do
  for _ = 1, 1 << (depth - d + 4) do sum = sum + count(make(d)) end
end
return sum .. " " .. count(stays)
