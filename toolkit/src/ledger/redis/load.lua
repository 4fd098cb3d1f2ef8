-- Gives the server's time, the row's name and its fields, all nothing but the time where there
-- is no such row.
--
-- KEYS: none, or that of an approval id. ARGV: what keys of rows begin with, the row's name.
local name = ARGV[2]
if KEYS[1] then name = redis.call('GET', KEYS[1]) or '' end
local time = redis.call('TIME')
return { time[1], time[2], name, redis.call('HGETALL', ARGV[1] .. name) }
