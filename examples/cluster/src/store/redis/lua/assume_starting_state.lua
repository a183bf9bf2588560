-- assume_starting_state IDLE BUSY...
if is_initialised() then return { 'none' } end
local count = redis.call('ZCARD', WORKERS)
for i = 1, #ARGV do
  if count + #ARGV > MOST_ASSUMED and not is_worker(ARGV[i]) then count = count + 1 end
  if count > MOST_ASSUMED then return { 'full_of_workers' } end
end
for i = 2, #ARGV do
  local worker = ARGV[i]
  if add_worker(worker) then
    for number = 0, STARTING_JOBS - 1 do
      local job = worker .. '/job' .. number
      redis.call('HSET', JOBS, job, 'null')
      has_come(worker, job, redis.call('RPUSH', deque(worker), job))
    end
  end
end
add_worker(ARGV[1])
return { 'ok' }
