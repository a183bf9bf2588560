-- expire FORGET_AFTER
local time = now()

-- What began at a moment still to come began before the clock was set back: a lease from while it was an hour ahead would last for
-- an hour more. It counts from now.
local function to_come(moments) return redis.call('ZRANGE', moments, string.format('(%d', time), '+inf', 'BYSCORE') end
for _, job in ipairs(to_come(BEGAN)) do
  begin_lease(job, time, redis.call('ZSCORE', FLIGHT, job) - redis.call('ZSCORE', BEGAN, job))
end
for _, worker in ipairs(to_come(SEEN)) do redis.call('ZADD', SEEN, time, worker) end

local over = redis.call('ZRANGE', FLIGHT, '-inf', time, 'BYSCORE', 'LIMIT', 0, 1000)
for _, job in ipairs(over) do
  local holder = redis.call('HGET', HOLDERS, job)
  land(job)
  has_come(holder, job, redis.call('RPUSH', deque(holder), job))
end

-- Workers that are gone are forgotten, once they leave nothing behind.
local gone, has_job = redis.call('ZRANGE', SEEN, '-inf', time - tonumber(ARGV[1]), 'BYSCORE'), nil
for _, worker in ipairs(gone) do
  if redis.call('LLEN', deque(worker)) == 0 then
    if not has_job then
      has_job = {}
      for _, holder in ipairs(redis.call('HVALS', HOLDERS)) do has_job[holder] = true end
    end
    if not has_job[worker] then remove_worker(worker) end
  end
end
return { 'ok', tostring(#over) }
