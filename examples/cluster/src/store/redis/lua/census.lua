-- census; answers three words for each entry: where, the worker or '' or the record, and the job or ''
local answer = { 'ok' }
local function add(place, with, job)
  answer[#answer + 1], answer[#answer + 2], answer[#answer + 3] = place, with, job
end
-- All deques there are, not only those of known workers.
local cursor, deques = '0', {}
repeat
  local page = redis.call('SCAN', cursor, 'MATCH', pattern('deque:') .. '*', 'COUNT', 1000)
  cursor = page[1]
  for _, name in ipairs(page[2]) do deques[string.sub(name, #deque('') + 1)] = true end
until cursor == '0'
local function add_deque(worker)
  for _, job in ipairs(redis.call('LRANGE', deque(worker), 0, -1)) do add('queued', worker, job) end
  deques[worker] = nil
end
for _, worker in ipairs(redis.call('ZRANGE', WORKERS, 0, -1)) do add_deque(worker) end
for worker in pairs(deques) do add_deque(worker) end

for _, worker in ipairs(redis.call('ZRANGE', BUSY, 0, -1)) do add('busy', worker, '') end

local leased = {}
for _, job in ipairs(redis.call('ZRANGE', FLIGHT, 0, -1)) do leased[job] = true end
local holders = redis.call('HGETALL', HOLDERS)
for i = 1, #holders, 2 do
  add('in_flight', holders[i + 1], holders[i])
  leased[holders[i]] = nil
end
-- A lease without a holder would be a mistake, and shows as a job in flight with nobody.
for job in pairs(leased) do add('in_flight', '', job) end
for _, job in ipairs(redis.call('HKEYS', JOBS)) do add('unfinished', '', job) end
local results = redis.call('HGETALL', RESULTS)
for i = 1, #results, 2 do add('done', results[i + 1], results[i]) end
return answer
