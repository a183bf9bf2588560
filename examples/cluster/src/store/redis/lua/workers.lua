-- workers; answers four words for each: name, queued, in flight, and 1 if it has joined
local in_flight = {}
for _, holder in ipairs(redis.call('HVALS', HOLDERS)) do in_flight[holder] = (in_flight[holder] or 0) + 1 end
local answer = { 'ok' }
for _, worker in ipairs(redis.call('ZRANGE', WORKERS, 0, -1)) do
  answer[#answer + 1] = worker
  answer[#answer + 1] = tostring(redis.call('LLEN', deque(worker)))
  answer[#answer + 1] = tostring(in_flight[worker] or 0)
  answer[#answer + 1] = redis.call('ZSCORE', SEEN, worker) and '1' or '0'
end
return answer
