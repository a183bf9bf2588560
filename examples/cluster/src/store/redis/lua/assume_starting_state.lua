-- assume_starting_state IDLE BUSY...
if is_initialised() then return { 'none' } end
for i = 2, #ARGV do
  local worker = ARGV[i]
  if add_worker(worker) then
    for number = 0, STARTING_JOBS - 1 do
      local job = worker .. '/job' .. number
      redis.call('HSET', JOBS, job, 'null')
      have_come(worker, redis.call('RPUSH', deque(worker), job))
    end
  end
end
add_worker(ARGV[1])
return { 'ok' }
