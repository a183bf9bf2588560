-- next_job WORKER LEASE LUCK; without stealing, LUCK is empty
local worker, time, lease = ARGV[1], now(), tonumber(ARGV[2])
if not is_worker(worker) then return { 'unknown_worker', worker } end
be_seen(worker, time)
local job, attempt, payload = take(worker, time, lease)
if job then
  have_gone(worker)
  return { 'ok', job, attempt, payload }
end

local busy = redis.call('ZCARD', BUSY)
if ARGV[3] == '' or busy == 0 then return { 'none' } end
local place = tonumber(ARGV[3]) % busy
local victim = redis.call('ZRANGE', BUSY, place, place)[1]
-- What comes to the thief's deque is gone from there before anybody could see it.
steal(worker, victim)
job, attempt, payload = take(worker, time, lease)
return { 'ok', job, attempt, payload, victim }
