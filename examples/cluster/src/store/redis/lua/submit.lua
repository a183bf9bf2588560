-- submit WORKER JOB PAYLOAD; without a name, JOB is empty
local worker, job, payload = ARGV[1], ARGV[2], ARGV[3]
if not is_worker(worker) then return { 'unknown_worker', worker } end
if redis.call('HLEN', JOBS) >= MOST_JOBS then return { 'full_of_jobs' } end
if job == '' then
  job = new_name()
elseif is_known(job) then
  return { 'duplicate', job }
end
redis.call('HSET', JOBS, job, payload)
local queued = redis.call('LPUSH', deque(worker), job)
has_come(worker, job, queued)
return { 'ok', job, tostring(queued) }
