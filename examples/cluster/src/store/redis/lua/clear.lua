-- clear
local cursor = '0'
repeat
  local page = redis.call('SCAN', cursor, 'MATCH', pattern('') .. '*', 'COUNT', 1000)
  cursor = page[1]
  for _, name in ipairs(page[2]) do redis.call('UNLINK', name) end
until cursor == '0'
return { 'ok' }
