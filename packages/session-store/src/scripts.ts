import { createHash } from 'node:crypto'

/** A Lua script on one key, unless its comment says otherwise, with its name in Redis. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** The value that replaces a destroyed session for a while, so that a late write is refused. */
export const ENDED = 'x'

/** The length of the version in bytes. It is the beginning of a sealed value, which differs in every write. */
export const VERSION_BYTES = 13

const ENDED_MILLISECONDS = 300_000

function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

// Every script is safe to send twice: a client may send it again after a connection broke.

const ofSession = `
local function begin()
  if redis.call('GETRANGE', KEYS[1], 0, 12) == '${ENDED}' then return 0 end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
end
local function finish()
  redis.call('DEL', KEYS[1])
  redis.pcall('SET', KEYS[1], '${ENDED}', 'PX', ${ENDED_MILLISECONDS})
end
`

/** Stores a session. ARGV: the value, its lifetime in milliseconds. Returns 1 if stored, 0 if a session with this id has just ended. */
export const beginScript: Script = script(`${ofSession}
return begin()`)

/**
 * Replaces a session unless another request has changed it. ARGV: the value, its lifetime in
 * milliseconds, and the version that was read, or '' to skip the comparison. Returns 1 if it was
 * replaced, 0 if it has ended, 2 if it has another version. If the script is sent twice, the second
 * run finds the new version and returns 1.
 */
export const replaceScript: Script = script(`
local version = redis.call('GETRANGE', KEYS[1], 0, ${VERSION_BYTES - 1})
if version == '' or version == '${ENDED}' then return 0 end
if version == string.sub(ARGV[1], 1, ${VERSION_BYTES}) then return 1 end
if ARGV[3] ~= '' and version ~= ARGV[3] then return 2 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

/** Ends a session. It also works if Redis is full, because deleting is always allowed; only the mark may be refused. */
export const endScript: Script = script(`${ofSession}
finish()
return 1`)

// If a key has another type than an index, it is replaced. Otherwise it would fail every login of
// its user.
const ofIndex = `
local function ofIndex(...)
  local answer = redis.pcall(...)
  local failed = type(answer) == 'table' and answer.err
  if not failed or not string.find(failed, 'WRONGTYPE', 1, true) then return answer end
  redis.call('DEL', (select(2, ...)))
end
local function add(key, member, seconds)
  local now = tonumber(redis.call('TIME')[1])
  ofIndex('ZREMRANGEBYSCORE', key, '-inf', now)
  redis.call('ZADD', key, now + tonumber(seconds), member)
  if redis.call('TTL', key) < tonumber(seconds) then redis.call('EXPIRE', key, seconds) end
end
local function find(key)
  return ofIndex('ZRANGEBYSCORE', key, redis.call('TIME')[1], '+inf') or {}
end
`

/**
 * Adds a member. ARGV: member, seconds. Each member has its own expiry; the set lives as long as
 * its last member.
 */
export const indexAddScript: Script = script(`${ofIndex}
add(KEYS[1], ARGV[1], ARGV[2])
return 1`)

/** The members that have not expired. */
export const indexFindScript: Script = script(`${ofIndex}
return find(KEYS[1])`)

/** Removes a member. ARGV: member. */
export const indexRemoveScript: Script = script(`${ofIndex}
return ofIndex('ZREM', KEYS[1], ARGV[1]) or 0`)

/**
 * Stores a session, adds it to indexes, and reads other values. KEYS: session, indexes, others. ARGV: value,
 * milliseconds, member, seconds, number of indexes. Returns 1, or 0 if the session has ended, then the other values.
 */
export const beginAllScript: Script = script(`${ofSession}${ofIndex}
local answer = { begin() }
if answer[1] == 0 then return answer end
local last = 1 + tonumber(ARGV[5])
for at = 2, last do add(KEYS[at], ARGV[3], ARGV[4]) end
for at = last + 1, #KEYS do
  local value = redis.pcall('GET', KEYS[at])
  answer[#answer + 1] = type(value) == 'string' and value
end
return answer`)

/**
 * Ends a session, removes it from indexes, and returns the remaining members of the first of them. KEYS: session,
 * indexes. ARGV: member, number of indexes whose members are returned.
 */
export const endAllScript: Script = script(`${ofSession}${ofIndex}
finish()
local left = {}
for at = 2, #KEYS do
  ofIndex('ZREM', KEYS[at], ARGV[1])
  if at < 2 + tonumber(ARGV[2]) then
    local members = find(KEYS[at])
    for n = 1, #members do left[#left + 1] = members[n] end
  end
end
return left`)

/** Takes a lock. ARGV: token, milliseconds. Returns 1 for the first token, 0 for every other. */
export const claimScript: Script = script(`
local held = redis.call('GET', KEYS[1])
if held then return held == ARGV[1] and 1 or 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

/** ARGV: token. Releases the lock of the token, but not one that another holder has taken since. */
export const releaseScript: Script = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`)
