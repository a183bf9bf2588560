-- steal THIEF VICTIM...
local thief = ARGV[1]
-- As many at a time as Lua passes to a function.
for first = 1, #ARGV, 1000 do
  local scores = redis.call('ZMSCORE', WORKERS, unpack(ARGV, first, math.min(first + 999, #ARGV)))
  for i = 1, #scores do
    if not scores[i] then return { 'unknown_worker', ARGV[first + i - 1] } end
  end
end
for i = 2, #ARGV do
  local job = steal(thief, ARGV[i])
  if job then
    has_come(thief, job, redis.call('LLEN', deque(thief)))
    return { 'ok', ARGV[i], job, tostring(redis.call('LLEN', deque(ARGV[i]))) }
  end
end
return { 'none' }
