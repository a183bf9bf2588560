-- complete WORKER JOB ATTEMPT RESULT; if no attempt is named, ATTEMPT is empty
local worker, attempt = ARGV[1], ARGV[3]
if not is_worker(worker) then return { 'unknown_worker', worker } end
local names = meanings(ARGV[2])

-- Takes the job from where this worker has it.
local function hand_over(job)
  local is_held = redis.call('HGET', HOLDERS, job) == worker
  if is_held and (attempt == '' or redis.call('HGET', ATTEMPTS, job) == attempt) then
    land(job)
    return true
  end
  if attempt ~= '' or redis.call('HGET', PLACES, job) ~= worker then return false end
  redis.call('LREM', deque(worker), 1, job)
  redis.call('HDEL', PLACES, job)
  have_gone(worker)
  return true
end

for _, job in ipairs(names) do
  if hand_over(job) then
    local record = (redis.call('HGET', ATTEMPTS, job) or '0') .. '\n' .. worker .. '\n' .. ARGV[4]
    redis.call('HDEL', ATTEMPTS, job)
    redis.call('HDEL', JOBS, job)
    if redis.call('HSETNX', RESULTS, job, record) == 0 then return { 'completed' } end
    if redis.call('RPUSH', RECORDED, job) > MOST_RESULTS then
      redis.call('HDEL', RESULTS, redis.call('LPOP', RECORDED))
    end
    return { 'ok' }
  end
end
for _, job in ipairs(names) do
  local record = redis.call('HGET', RESULTS, job)
  if record then
    local mine = attempt .. '\n' .. worker .. '\n'
    return { string.sub(record, 1, #mine) == mine and 'again' or 'completed' }
  end
end
for _, job in ipairs(names) do
  if redis.call('HEXISTS', JOBS, job) == 1 then return { 'not_held' } end
end
return { 'unknown_job' }
