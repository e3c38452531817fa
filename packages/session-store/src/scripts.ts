import { createHash } from 'node:crypto'

/**
 * A Lua script, with the SHA-1 hash by which Redis caches it. A script has one key, unless its
 * comment says otherwise.
 */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/**
 * The value that replaces a destroyed session for five minutes, so that a late write is refused.
 */
export const ENDED = 'x'

/**
 * The length of a version in bytes. The version is the beginning of a sealed value, and is
 * different for every write.
 */
export const VERSION_BYTES = 13

const ENDED_MILLISECONDS = 300_000

function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

// Every script is safe to send twice, because a client may repeat it after a lost connection.

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

/**
 * Stores a session. ARGV: the value, its lifetime in milliseconds. Returns 1 if the session was
 * stored, 0 if the session with this id was destroyed in the last five minutes.
 */
export const beginScript: Script = script(`${ofSession}
return begin()`)

/**
 * Replaces a session unless another request has changed it. ARGV: the value, its lifetime in
 * milliseconds, and the version that was read, or '' to skip the comparison. Returns 1 if the
 * session was replaced, 0 if it does not exist, 2 if it has another version. If the script is sent
 * twice, the second run finds the new version and returns 1.
 */
export const replaceScript: Script = script(`
local version = redis.call('GETRANGE', KEYS[1], 0, ${VERSION_BYTES - 1})
if version == '' or version == '${ENDED}' then return 0 end
if version == string.sub(ARGV[1], 1, ${VERSION_BYTES}) then return 1 end
if ARGV[3] ~= '' and version ~= ARGV[3] then return 2 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

/**
 * Destroys a session. If Redis is full, the session is still deleted, but the mark {@link ENDED}
 * may be refused.
 */
export const endScript: Script = script(`${ofSession}
finish()
return 1`)

// `ofIndex` deletes a key that is not a sorted set. Otherwise, the key would make every login of
// its user fail.
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
 * Adds a member to an index. ARGV: the member, its lifetime in seconds. Each member has its own
 * expiry. The set expires with its last member.
 */
export const indexAddScript: Script = script(`${ofIndex}
add(KEYS[1], ARGV[1], ARGV[2])
return 1`)

/** Returns the members of an index that have not expired. */
export const indexFindScript: Script = script(`${ofIndex}
return find(KEYS[1])`)

/** Removes a member from an index. ARGV: the member. */
export const indexRemoveScript: Script = script(`${ofIndex}
return ofIndex('ZREM', KEYS[1], ARGV[1]) or 0`)

/**
 * Stores a session, adds it to indexes, and reads other values. KEYS: session, indexes, others.
 * ARGV: value, its lifetime in milliseconds, member, its lifetime in seconds, number of indexes.
 * Returns 1 and the other values, or only 0 if the session has been destroyed.
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
 * Destroys a session and removes it from indexes. KEYS: session, indexes. ARGV: member, number of
 * indexes, from the first, whose remaining members are returned.
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

/**
 * Claims a key for a token. ARGV: token, lifetime in milliseconds. Returns 1 if the key now has
 * this token, 0 if another token has claimed it.
 */
export const claimScript: Script = script(`
local held = redis.call('GET', KEYS[1])
if held then return held == ARGV[1] and 1 or 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

/**
 * Releases a key if it has this token, and not if another token has claimed it since. ARGV: token.
 */
export const releaseScript: Script = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`)
