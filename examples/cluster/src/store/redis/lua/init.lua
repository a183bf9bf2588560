-- init JOBS WORKER...
local unfinished = 0
if is_initialised() then
  unfinished = redis.call('HLEN', JOBS)
else
  for _, job in ipairs(redis.call('HKEYS', JOBS)) do
    if not is_starting_name(job) then unfinished = unfinished + 1 end
  end
end
if unfinished > 0 then return { 'unfinished', tostring(unfinished) } end

leave_starting_state()
for _, worker in ipairs(redis.call('ZRANGE', WORKERS, 0, -1)) do
  if not redis.call('ZSCORE', SEEN, worker) then remove_worker(worker) end
end
for i = 2, #ARGV do add_worker(ARGV[i]) end
for number = 0, tonumber(ARGV[1]) - 1 do
  local job = new_name()
  redis.call('HSET', JOBS, job, 'null')
  local worker = ARGV[2 + number % (#ARGV - 1)]
  has_come(worker, job, redis.call('RPUSH', deque(worker), job))
end
return { 'ok' }
