-- take WORKER LEASE
local worker, time = ARGV[1], now()
if not is_worker(worker) then return { 'unknown_worker', worker } end
be_seen(worker, time)
local job, attempt, payload = take(worker, time, tonumber(ARGV[2]))
if not job then return { 'none' } end
have_gone(worker)
return { 'ok', job, attempt, payload }
