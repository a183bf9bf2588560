-- join WORKER
leave_starting_state()
add_worker(ARGV[1])
redis.call('ZADD', SEEN, now(), ARGV[1])
return { 'ok' }
