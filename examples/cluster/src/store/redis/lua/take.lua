-- take WORKER LEASE
local worker, time = ARGV[1], now()
if not is_worker(worker) then return { 'unknown_worker', worker } end
-- Once a second is enough to be seen, so that looking at an empty deque writes nothing.
local seen = redis.call('HGET', SEEN, worker)
if seen and tonumber(seen) + 1000 < time then redis.call('HSET', SEEN, worker, time) end

local job = redis.call('LPOP', deque(worker))
if not job then return { 'none' } end
redis.call('ZADD', FLIGHT, time + tonumber(ARGV[2]), job)
redis.call('HSET', HOLDERS, job, worker)
local attempt = redis.call('HINCRBY', ATTEMPTS, job, 1)
return { 'ok', job, tostring(attempt), redis.call('HGET', JOBS, job) }
