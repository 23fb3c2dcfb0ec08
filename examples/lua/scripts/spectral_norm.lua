-- Spectral norm: floating point over arrays.
local n = tonumber((...)) or 60
local function a(i, j)
  local ij = i + j - 1
  return 1.0 / (ij * (ij - 1) * 0.5 + i)
end
local function times(x, transposed)
  local y = {}
  for i = 1, n do
    local sum = 0
    for j = 1, n do
      sum = sum + (transposed and a(j, i) or a(i, j)) * x[j]
    end
    y[i] = sum
  end
  return y
end
local u, v = {}, {}
for i = 1, n do u[i] = 1 end
for _ = 1, 10 do
  v = times(times(u, false), true)
  u = times(times(v, false), true)
end
local uv, vv = 0, 0
for i = 1, n do
  uv = uv + u[i] * v[i]
  vv = vv + v[i] * v[i]
end
return string.format("%.9f", math.sqrt(uv / vv))
