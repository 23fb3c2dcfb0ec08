-- Documents: a text in JSON's form is written, parsed into tables, and written again.
local rounds = tonumber((...)) or 2

local function write(v, out)
  local kind = type(v)
  if kind == "table" then
    if #v > 0 then
      out[#out + 1] = "["
      for i, x in ipairs(v) do
        if i > 1 then out[#out + 1] = "," end
        write(x, out)
      end
      out[#out + 1] = "]"
    else
      local names = {}
      for name in pairs(v) do names[#names + 1] = name end
      table.sort(names)
      out[#out + 1] = "{"
      for i, name in ipairs(names) do
        if i > 1 then out[#out + 1] = "," end
        out[#out + 1] = string.format("%q:", name)
        write(v[name], out)
      end
      out[#out + 1] = "}"
    end
  elseif kind == "string" then out[#out + 1] = '"' .. v .. '"'
  else out[#out + 1] = tostring(v) end
end

local function parse(text)
  local at = 1
  local value
  local function skip() at = text:find("[^ \n]", at) or #text + 1 end
  local function list()
    local t = {}
    at = at + 1
    skip()
    while text:sub(at, at) ~= "]" do
      t[#t + 1] = value()
      skip()
      if text:sub(at, at) == "," then at = at + 1 end
    end
    at = at + 1
    return t
  end
  local function map()
    local t = {}
    at = at + 1
    skip()
    while text:sub(at, at) ~= "}" do
      local name, after = text:match('^"([^"]*)":()', at)
      at = after
      t[name] = value()
      skip()
      if text:sub(at, at) == "," then at = at + 1 end
    end
    at = at + 1
    return t
  end
  function value()
    skip()
    local c = text:sub(at, at)
    if c == "{" then return map() end
    if c == "[" then return list() end
    if c == '"' then
      local s, after = text:match('^"([^"]*)"()', at)
      at = after
      return s
    end
    local word, after = text:match("^([%w%.%-]+)()", at)
    at = after
    if word == "true" then return true elseif word == "false" then return false end
    return tonumber(word)
  end
  return value()
end

local document = {items = {}}
for i = 1, 2000 do
  document.items[i] = {
    id = i, name = "item " .. i, price = i * 1.5, stock = i % 3 == 0,
    tags = {"t" .. i % 7, "u" .. i % 11, "a longer tag " .. i},
    size = {w = i, h = i * 2, box = {i, i + 1, i + 2}},
  }
end
local check = 0
for _ = 1, rounds do
  local out = {}
  write(document, out)
  local text = table.concat(out)
  document = parse(text)
  check = check + #text
end
return check
