-- find JOB
for _, job in ipairs(meanings(ARGV[1])) do
  local record = redis.call('HGET', RESULTS, job)
  if record then return { 'done', record } end
  local holder = redis.call('HGET', HOLDERS, job)
  if holder then return { 'in_flight', holder } end
  local place = redis.call('HGET', PLACES, job)
  if place then return { 'queued', place } end
end
return { 'unknown_job' }
