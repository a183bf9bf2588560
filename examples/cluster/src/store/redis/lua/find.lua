-- find JOB
for _, job in ipairs(meanings(ARGV[1])) do
  local record = redis.call('HGET', RESULTS, job)
  if record then return { 'done', record } end
  local holder = redis.call('HGET', HOLDERS, job)
  if holder then return { 'in_flight', holder } end
  for _, worker in ipairs(redis.call('ZRANGE', WORKERS, 0, -1)) do
    if redis.call('LPOS', deque(worker), job) then return { 'queued', worker } end
  end
end
return { 'unknown_job' }
