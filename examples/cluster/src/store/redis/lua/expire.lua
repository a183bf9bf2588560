-- expire FORGET_AFTER
local time = now()
local over = redis.call('ZRANGE', FLIGHT, '-inf', time, 'BYSCORE', 'LIMIT', 0, 1000)
for _, job in ipairs(over) do
  local holder = redis.call('HGET', HOLDERS, job)
  land(job)
  have_come(holder, redis.call('RPUSH', deque(holder), job))
end

-- Workers that are gone are forgotten, once they leave nothing behind.
local seen, has_job = redis.call('HGETALL', SEEN), nil
for i = 1, #seen, 2 do
  if tonumber(seen[i + 1]) + tonumber(ARGV[1]) < time and redis.call('LLEN', deque(seen[i])) == 0 then
    if not has_job then
      has_job = {}
      for _, holder in ipairs(redis.call('HVALS', HOLDERS)) do has_job[holder] = true end
    end
    if not has_job[seen[i]] then remove_worker(seen[i]) end
  end
end
return { 'ok', tostring(#over) }
