-- What the scripts share: the keys, and the small steps. Every script runs as one step of Redis.
--
--   workers    sorted set   worker -> number in the order of coming
--   seen       sorted set   worker -> when it was last seen at work, in ms; those that have joined only
--   deque:W    list         the jobs of W; the left end is the owner's, the right end the thieves'
--   places     hash         queued job -> the worker whose deque it is in
--   busy       sorted set   worker whose deque has jobs -> its number in workers
--   jobs       hash         unfinished job -> payload
--   attempts   hash         unfinished job -> how many times it was taken
--   flight     sorted set   job in flight -> when its lease is over, in ms
--   began      sorted set   job in flight -> when its lease began, or was renewed, in ms
--   holders    hash         job in flight -> worker
--   results    hash         finished job -> attempt, worker and result, a line each
--   recorded   list         the jobs of the results; the left end is the oldest
--
-- The clock is Redis's own, so that the clocks of the hosts need not agree. It is a calendar, which may be set back.

local function key(name) return KEYS[1] .. name end
local WORKERS, SEEN, JOBS, ATTEMPTS = key('workers'), key('seen'), key('jobs'), key('attempts')
local FLIGHT, HOLDERS, RESULTS, INITIALISED = key('flight'), key('holders'), key('results'), key('initialised')
local BUSY, BEGAN, PLACES, RECORDED = key('busy'), key('began'), key('places'), key('recorded')

local function deque(worker) return key('deque:' .. worker) end

-- What SCAN finds the keys by that begin with this key.
local function pattern(name)
  local escaped = string.gsub(key(name), '[%*%?%[%]\\]', '\\%0')
  return escaped
end

local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function is_worker(worker) return redis.call('ZSCORE', WORKERS, worker) ~= false end

local function add_worker(worker)
  return redis.call('ZADD', WORKERS, 'NX', redis.call('INCR', key('next_worker')), worker) == 1
end

local function remove_worker(worker)
  redis.call('ZREM', WORKERS, worker)
  redis.call('ZREM', SEEN, worker)
end

local function is_known(job)
  return redis.call('HEXISTS', JOBS, job) == 1 or redis.call('HEXISTS', RESULTS, job) == 1
end

local function new_name()
  local name
  repeat
    name = 'job' .. string.format('%d', redis.call('INCR', key('next_job')) - 1)
  until not is_known(name)
  return name
end

local function is_initialised() return redis.call('EXISTS', INITIALISED) == 1 end

local function is_starting_name(job) return string.find(job, '/', 1, true) ~= nil end

-- The list of the busy changes when a deque's first job comes and when its last one goes. To be called after a job has come,
-- with how many there are now, and after jobs have gone.
local function has_come(worker, job, queued)
  redis.call('HSET', PLACES, job, worker)
  if queued == 1 then redis.call('ZADD', BUSY, redis.call('ZSCORE', WORKERS, worker), worker) end
end
local function have_gone(worker)
  if redis.call('EXISTS', deque(worker)) == 0 then redis.call('ZREM', BUSY, worker) end
end

-- Once a second is enough to be seen, so that looking at an empty deque writes nothing.
local function be_seen(worker, time)
  local seen = redis.call('ZSCORE', SEEN, worker)
  if seen and tonumber(seen) + 1000 < time then redis.call('ZADD', SEEN, time, worker) end
end

-- The steal: from the victim's end to the thief's front. The job's place is still to be written, by has_come or by take.
local function steal(thief, victim)
  local job = redis.call('LMOVE', deque(victim), deque(thief), 'RIGHT', 'LEFT')
  if job then have_gone(victim) end
  return job
end

local function begin_lease(job, time, lease)
  redis.call('ZADD', FLIGHT, time + lease, job)
  redis.call('ZADD', BEGAN, time, job)
end

-- Takes the job at the front of the worker's own deque. Returns its name, the attempt, and what it is.
local function take(worker, time, lease)
  local job = redis.call('LPOP', deque(worker))
  if not job then return nil end
  redis.call('HDEL', PLACES, job)
  begin_lease(job, time, lease)
  redis.call('HSET', HOLDERS, job, worker)
  return job, tostring(redis.call('HINCRBY', ATTEMPTS, job, 1)), redis.call('HGET', JOBS, job)
end

-- Ends a job's flight.
local function land(job)
  redis.call('ZREM', FLIGHT, job)
  redis.call('ZREM', BEGAN, job)
  redis.call('HDEL', HOLDERS, job)
end

-- The jobs of the starting state are nobody's, and end with it. Each deque is read once, and written again without them.
local function leave_starting_state()
  if is_initialised() then return end
  redis.call('SET', INITIALISED, 1)
  for _, job in ipairs(redis.call('HKEYS', JOBS)) do
    if is_starting_name(job) then
      redis.call('HDEL', JOBS, job)
      redis.call('HDEL', ATTEMPTS, job)
      redis.call('HDEL', PLACES, job)
      land(job)
    end
  end
  for _, worker in ipairs(redis.call('ZRANGE', WORKERS, 0, -1)) do
    local jobs = redis.call('LRANGE', deque(worker), 0, -1)
    redis.call('DEL', deque(worker))
    for _, job in ipairs(jobs) do
      if not is_starting_name(job) then redis.call('RPUSH', deque(worker), job) end
    end
    have_gone(worker)
  end
  local recorded = redis.call('LRANGE', RECORDED, 0, -1)
  redis.call('DEL', RECORDED)
  for _, job in ipairs(recorded) do
    if is_starting_name(job) then redis.call('HDEL', RESULTS, job) else redis.call('RPUSH', RECORDED, job) end
  end
end

-- The names inside the store that the client's name for a job may stand for: in the starting state one for each worker, of
-- which there are few then.
local function meanings(job)
  local names = { job }
  if not is_initialised() then
    for _, worker in ipairs(redis.call('ZRANGE', WORKERS, 0, -1)) do
      names[#names + 1] = worker .. '/' .. job
    end
  end
  return names
end
