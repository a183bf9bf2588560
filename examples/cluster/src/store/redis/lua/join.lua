-- join WORKER
leave_starting_state()
add_worker(ARGV[1])
redis.call('HSET', SEEN, ARGV[1], now())
return { 'ok' }
