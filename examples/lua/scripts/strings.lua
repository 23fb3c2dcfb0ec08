-- Strings: built by concatenation, formatting, table.concat, gsub and buffers that grow.
local rounds = tonumber((...)) or 20
local check = 0
for r = 1, rounds do
  local parts = {}
  for i = 1, 2000 do
    parts[#parts + 1] = string.format("%d:%s", i * r, ("x"):rep(i % 37))
  end
  local text = table.concat(parts, ",")
  local shorter = text:gsub("x+", function(run) return #run % 10 end)
  local line = ""
  for i = 1, 300 do line = line .. i .. ";" end
  local words = {}
  for word in shorter:gmatch("[^,]+") do words[word] = (words[word] or 0) + 1 end
  local n = 0
  for word, times in pairs(words) do n = n + #word * times end
  check = (check + n + #text + #line + #shorter:upper():reverse()) % 1000000007
end
return check
