-- Writes a row if it has the version expected (none where that is empty), with a line of its
-- history. Gives 1; 0 where it has another version; 2 where the approval id is another row's.
--
-- KEYS: the row, its history, all rows, the parked ones, those that expire.
-- ARGV: what keys of rows and of approval ids begin with, the row's name, the version expected,
-- its approval id after a `=` or nothing, when it was created, 1 where it is parked, when it expires or
-- nothing, how many fields of the row follow, those, and the history's line.
local row, history, all, parked, expiring = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local rows, approvals, name, expected = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local approval, created, is_parked, expires = ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local fields = tonumber(ARGV[9])

if (redis.call('HGET', row, 'version') or '') ~= expected then return 0 end
if approval ~= '' then
    local owner = redis.call('GET', approvals .. approval)
    if owner and owner ~= name then return 2 end
end

local before = redis.call('HGET', row, 'approval')
if before and before ~= approval then redis.call('DEL', approvals .. before) end
redis.call('DEL', row)
redis.call('HSET', row, 'approval', approval, unpack(ARGV, 10, 9 + fields))
redis.call('RPUSH', history, unpack(ARGV, 10 + fields))
redis.call('PERSIST', history)
redis.call('ZADD', all, created, name)
if approval ~= '' then redis.call('SET', approvals .. approval, name) end
if is_parked == '1' then
    redis.call('ZADD', parked, created, name)
else
    redis.call('ZREM', parked, name)
end
if expires == '' then
    redis.call('ZREM', expiring, name)
else
    redis.call('ZADD', expiring, expires, name)
    redis.call('PEXPIREAT', row, expires)
    redis.call('PEXPIREAT', history, expires)
    if approval ~= '' then redis.call('PEXPIREAT', approvals .. approval, expires) end
end

-- Of rows that have expired, a few names are forgotten with each write.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', expiring, '-inf', now, 'LIMIT', 0, 20)) do
    if redis.call('EXISTS', rows .. gone) == 0 then
        redis.call('ZREM', all, gone)
        redis.call('ZREM', parked, gone)
        redis.call('ZREM', expiring, gone)
    end
end
return 1
