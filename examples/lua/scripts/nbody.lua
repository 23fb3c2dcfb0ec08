-- N-body: floating point over a few tables; hardly allocates.
local steps = tonumber((...)) or 5000
local sqrt = math.sqrt
local pi = math.pi
local solar, year = 4 * pi * pi, 365.24
local function body(x, y, z, vx, vy, vz, mass)
  return {x = x, y = y, z = z, vx = vx * year, vy = vy * year, vz = vz * year,
          mass = mass * solar}
end
local bodies = {
  body(0, 0, 0, 0, 0, 0, 1),
  body(4.84143144246472090, -1.16032004402742839, -0.103622044471123109,
       0.00166007664274403694, 0.00769901118419740425, -0.0000690460016972063023,
       0.000954791938424326609),
  body(8.34336671824457987, 4.12479856412430479, -0.403523417114321381,
       -0.00276742510726411, 0.00499852801234917238, 0.0000230417297573763929,
       0.000285885980666130812),
}
local function advance(dt)
  for i = 1, #bodies do
    local a = bodies[i]
    for k = i + 1, #bodies do
      local b = bodies[k]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      local d2 = dx * dx + dy * dy + dz * dz
      local mag = dt / (d2 * sqrt(d2))
      a.vx = a.vx - dx * b.mass * mag
      a.vy = a.vy - dy * b.mass * mag
      a.vz = a.vz - dz * b.mass * mag
      b.vx = b.vx + dx * a.mass * mag
      b.vy = b.vy + dy * a.mass * mag
      b.vz = b.vz + dz * a.mass * mag
    end
  end
  for i = 1, #bodies do
    local a = bodies[i]
    a.x, a.y, a.z = a.x + dt * a.vx, a.y + dt * a.vy, a.z + dt * a.vz
  end
end
for _ = 1, steps do advance(0.01) end
local sum = 0
for i = 1, #bodies do sum = sum + bodies[i].x * i + bodies[i].vy end
return string.format("%.9f", sum)
