-- Removes a row of the version expected, with its history. Gives 1; 0 where it has another.
--
-- KEYS: the row, its history, all rows, the parked ones, those that expire.
-- ARGV: what keys of approval ids begin with, the row's name, the version expected.
if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[3] then return 0 end
local approval = redis.call('HGET', KEYS[1], 'approval')
if approval and approval ~= '' then redis.call('DEL', ARGV[1] .. approval) end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[2])
redis.call('ZREM', KEYS[4], ARGV[2])
redis.call('ZREM', KEYS[5], ARGV[2])
return 1
