import { createHash } from 'node:crypto'

/** A Lua script of one key, and the name Redis keeps it under. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** The mark that a destroyed session leaves behind for a while, so that a late write finds it. */
export const ENDED = 'x'

/** Bytes at the start of a sealed value that differ at every write: its version. */
export const VERSION_BYTES = 13

const ENDED_MILLISECONDS = 300_000

function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

// Every script is safe to send twice: a client may send it again after a connection broke.

/** ARGV: value, milliseconds. 1 when written, 0 when a session of this id has just ended. */
export const beginScript: Script = script(`
if redis.call('GETRANGE', KEYS[1], 0, 12) == '${ENDED}' then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

/** ARGV: value, milliseconds, version seen or ''. 1 when replaced, 0 when ended, 2 when changed. */
export const replaceScript: Script = script(`
local version = redis.call('GETRANGE', KEYS[1], 0, ${VERSION_BYTES - 1})
if version == '' or version == '${ENDED}' then return 0 end
if version == string.sub(ARGV[1], 1, ${VERSION_BYTES}) then return 1 end
if ARGV[3] ~= '' and version ~= ARGV[3] then return 2 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

/** Ends a session, also when Redis is full: deleting is always allowed, the mark may be refused. */
export const endScript: Script = script(`
redis.call('DEL', KEYS[1])
redis.pcall('SET', KEYS[1], '${ENDED}', 'PX', ${ENDED_MILLISECONDS})
return 1`)

// A key of another type in place of an index would fail every login of its user; it is replaced.
const ofIndex = `
local function ofIndex(...)
  local answer = redis.pcall(...)
  local failed = type(answer) == 'table' and answer.err
  if not failed or not string.find(failed, 'WRONGTYPE', 1, true) then return answer end
  redis.call('DEL', KEYS[1])
end
`

/** ARGV: member, seconds. Members carry their own end; the set lives as long as its last member. */
export const indexAddScript: Script = script(`${ofIndex}
local now = tonumber(redis.call('TIME')[1])
ofIndex('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
if redis.call('TTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return 1`)

/** The members that have not reached their end. */
export const indexFindScript: Script = script(`${ofIndex}
return ofIndex('ZRANGEBYSCORE', KEYS[1], redis.call('TIME')[1], '+inf') or {}`)

/** ARGV: member. */
export const indexRemoveScript: Script = script(`${ofIndex}
return ofIndex('ZREM', KEYS[1], ARGV[1]) or 0`)

/** ARGV: token, milliseconds. 1 for the token that came first, 0 for every other. */
export const claimScript: Script = script(`
local held = redis.call('GET', KEYS[1])
if held then return held == ARGV[1] and 1 or 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

/** ARGV: token. Releases the lock of the token, but not one that another holder has taken since. */
export const releaseScript: Script = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`)
