-- renew WORKER JOB ATTEMPT LEASE
local worker, job = ARGV[1], ARGV[2]
if redis.call('HGET', HOLDERS, job) ~= worker or redis.call('HGET', ATTEMPTS, job) ~= ARGV[3] then
  return { 'not_held' }
end
local time = now()
be_seen(worker, time)
begin_lease(job, time, tonumber(ARGV[4]))
return { 'ok' }
