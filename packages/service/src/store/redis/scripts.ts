import { count } from '../../telemetry/metrics.ts'
import { inClientSpan } from '../../telemetry/tracing.ts'
import { StoreError } from '../errors.ts'
import { within } from '../queue-times.ts'
import type { RedisConnection } from './connect.ts'

type Value = string | number

/**
 * A function that runs a Lua script on one key. The script is atomic, and also runs on a Cluster.
 */
type Script = (key: string, ...values: Value[]) => Promise<unknown>

/**
 * The Lua function `put` replaces an entry. `ms`: the lifetime of the entry in milliseconds, 0 for
 * ever. `from` and `to`: the positions of the first and last field in ARGV.
 */
const PUT = `
  local function put(key, ms, from, to)
    redis.call('DEL', key)
    redis.call('HSET', key, unpack(ARGV, from, to))
    if ms ~= '0' then redis.call('PEXPIRE', key, ms) end
  end`

/**
 * The Lua function `index` adds a member with its expiry to an index, and removes expired members.
 * `ms`: the lifetime of the member in milliseconds, 0 for ever. The index lives as long as its last
 * member.
 */
const INDEX = `
  local function index(key, member, expiresAt, now, ms)
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    redis.call('ZADD', key, expiresAt, member)
    local ttl = redis.call('PTTL', key)
    if ms == '0' then redis.call('PERSIST', key)
    elseif ttl == -1 and redis.call('ZCARD', key) > 1 then return
    elseif ttl < tonumber(ms) then redis.call('PEXPIRE', key, ms) end
  end`

/**
 * The Lua function `isUnspent` returns whether an entry has not expired and was not used and, if a
 * payload is given, has this payload.
 */
const UNSPENT = `
  local function isUnspent(key, now, payload)
    local entry = redis.call('HMGET', key, 'expiresAt', 'consumedAt', 'payload')
    if not entry[1] or tonumber(entry[1]) <= tonumber(now) or entry[2] then return false end
    return not payload or (entry[3] or '') == payload
  end`

/**
 * The Lua function `spend` marks an entry as used. The entry expires at `expiresAt`, which is in
 * `ms` milliseconds, unless it expires earlier. If `ms` is 0, the expiry stays.
 */
const SPEND = `
  local function spend(key, now, expiresAt, ms)
    redis.call('HSET', key, 'consumedAt', now)
    if ms == '0' or tonumber(redis.call('HGET', key, 'expiresAt')) <= tonumber(expiresAt) then return end
    redis.call('HSET', key, 'expiresAt', expiresAt)
    redis.call('PEXPIRE', key, ms)
  end`

/**
 * The script that makes changes in one step, on a server that has all keys.
 *
 * Keys: entries to mark as used; entries to remove; for each entry to put, the key of the entry,
 * the keys of its indexes, and the key of its `uid`.
 *
 * Arguments: now; the numbers of entries to mark, to remove and with a condition; for each entry to
 * mark, its expiry and lifetime; for each condition, the position of the key and the payload that
 * the entry must have; for each entry to put, its lifetime and expiry, the numbers of indexes,
 * `uid`s and fields, and the fields. Lifetimes are in milliseconds.
 *
 * An entry that is marked also gets the earlier expiry in the indexes of the entries to put.
 * Returns 0, and changes nothing, if an entry to mark cannot be used, or a condition is not met.
 */
const WRITE = `${PUT} ${INDEX} ${UNSPENT} ${SPEND}
  local now, spent, removed, conditions = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
  for at = 1, spent do if not isUnspent(KEYS[at], now) then return 0 end end
  for at = 1, conditions do
    local place, payload = unpack(ARGV, 3 + 2 * (spent + at), 4 + 2 * (spent + at))
    if not isUnspent(KEYS[tonumber(place)], now, payload) then return 0 end
  end
  for at = 1, spent do spend(KEYS[at], now, ARGV[3 + 2 * at], ARGV[4 + 2 * at]) end
  for at = spent + 1, spent + removed do redis.call('DEL', KEYS[at]) end
  local key, arg = spent + removed + 1, 5 + 2 * (spent + conditions)
  while KEYS[key] do
    local entry, ms, expiresAt = KEYS[key], ARGV[arg], ARGV[arg + 1]
    local indexes, names, fields = tonumber(ARGV[arg + 2]), tonumber(ARGV[arg + 3]), tonumber(ARGV[arg + 4])
    put(entry, ms, arg + 5, arg + 4 + fields)
    for at = key + 1, key + indexes do
      index(KEYS[at], entry, expiresAt, now, ms)
      for old = 1, spent do
        if ARGV[4 + 2 * old] ~= '0' then redis.call('ZADD', KEYS[at], 'XX', ARGV[3 + 2 * old], KEYS[old]) end
      end
    end
    key = key + 1 + indexes
    if names == 1 then
      if ms == '0' then redis.call('SET', KEYS[key], entry)
      else redis.call('SET', KEYS[key], entry, 'PX', ms) end
      key = key + 1
    end
    arg = arg + 5 + fields
  end
  return 1`

/**
 * Lua functions for the counted attempts of a field, which are stored as `count lastAt forgetAt`.
 * `made` returns the attempts, `count` counts an attempt, and `waitAfter` returns the seconds to
 * wait.
 */
const MADE = `
  local function made(key, field, now)
    local text = redis.call('HGET', key, field)
    if not text then return 0, 0 end
    local count, lastAt, forgetAt = string.match(text, '^(%d+) (%d+) (%d+)$')
    if tonumber(forgetAt) <= tonumber(now) then return 0, 0 end
    return tonumber(count), tonumber(lastAt), lastAt
  end
  local function count(key, field, now, forgetSeconds)
    local forgetAt = tonumber(now) + tonumber(forgetSeconds) * 1e6
    local text = string.format('%.0f %s %.0f', made(key, field, now) + 1, now, forgetAt)
    redis.call('HSET', key, field, text)
    local ms = tonumber(forgetSeconds) * 1000
    if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, ms) end
  end
  local function waitAfter(n, lastAt, now, free, base, longest)
    if n == 0 then return 0 end
    -- A clock ahead has counted it, and has gone back since.
    if lastAt > tonumber(now) + ${within(0)} then return 0 end
    local over = n - tonumber(free)
    local wait = 0
    if over >= 0 then
      wait = math.min(tonumber(base) * 2 ^ math.min(over, 30), tonumber(longest))
    end
    return math.max(0, math.ceil((lastAt + wait * 1e6 - tonumber(now)) / 1e6))
  end`

/**
 * The Lua function `underWay` returns the attempts in progress of a field, except the attempt
 * `without`: their number, and the text to store, which has `attempt until ` for each attempt.
 */
const UNDER_WAY = `
  local function underWay(key, field, now, without)
    local n, text = 0, ''
    for attempt, till in string.gmatch(redis.call('HGET', key, 'under way ' .. field) or '', '(%S+) (%d+) ') do
      if attempt ~= without and tonumber(till) > tonumber(now) then
        n, text = n + 1, text .. attempt .. ' ' .. till .. ' '
      end
    end
    return n, text
  end`

/** Scripts on several keys, which need a server that has all keys. */
const ofKeys = {
  write: WRITE,
  /** Returns the fields of each entry. */
  read: `
    local all = {}
    for at, key in ipairs(KEYS) do all[at] = redis.call('HGETALL', key) end
    return all`,
  /**
   * Returns the members of an index that have not expired. Before, removes members whose entries
   * are gone. Keys: the index, the members to look at. Argument: now.
   */
  members: `
    for at = 2, #KEYS do
      if redis.call('EXISTS', KEYS[at]) == 0 then redis.call('ZREM', KEYS[1], KEYS[at]) end
    end
    return redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf')`,
  /**
   * Begins an attempt at all counters or at none. Arguments: now; the id of the attempt; the time
   * until which the attempt is in progress; for each counter, its field, and `free`, `base` and
   * `longest` of its limit. Returns the number of the counter that refuses the attempt (0: none),
   * and the seconds to wait (-1: until other attempts have ended).
   */
  beginAttempt: `${MADE} ${UNDER_WAY}
    local now, attempt, till = ARGV[1], ARGV[2], ARGV[3]
    local texts = {}
    for at, key in ipairs(KEYS) do
      local field, free, base, longest = unpack(ARGV, at * 4, at * 4 + 3)
      local n, lastAt = made(key, field, now)
      local running, text = underWay(key, field, now)
      if running > 0 and n + running >= tonumber(free) then return { at, -1 } end
      local wait = waitAfter(n, lastAt, now, free, base, longest)
      if wait > 0 then return { at, wait } end
      texts[at] = text
    end
    local ms = math.ceil((tonumber(till) - tonumber(now)) / 1000)
    for at, key in ipairs(KEYS) do
      redis.call('HSET', key, 'under way ' .. ARGV[at * 4], texts[at] .. attempt .. ' ' .. till .. ' ')
      if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, ms) end
    end
    return { 0, 0 }`,
  /**
   * Ends an attempt. Arguments: now; the id of the attempt; for each counter, its field, the
   * seconds until attempts are forgotten, and the outcome.
   */
  endAttempt: `${MADE} ${UNDER_WAY}
    local now, attempt = ARGV[1], ARGV[2]
    for at, key in ipairs(KEYS) do
      local field, forgetSeconds, outcome = unpack(ARGV, at * 3, at * 3 + 2)
      local running, text = underWay(key, field, now, attempt)
      if running > 0 then redis.call('HSET', key, 'under way ' .. field, text)
      else redis.call('HDEL', key, 'under way ' .. field) end
      if outcome == 'failed' then count(key, field, now, forgetSeconds)
      elseif outcome == 'forgiven' then redis.call('HDEL', key, field) end
    end
    return 1`,
} as const

// `now` and expiries are arguments, in microseconds of the service's clock.
const scripts = {
  /** Writes a value that nothing reads. Arguments: its lifetime in milliseconds. */
  check: `redis.call('SET', KEYS[1], '', 'PX', ARGV[1])`,
  /**
   * Replaces an entry. Arguments: the lifetime of the entry in milliseconds (0 for ever), its
   * fields.
   */
  put: `${PUT} put(KEYS[1], ARGV[1], 2, #ARGV)`,
  /**
   * Replaces an entry if it is unused and has a certain payload. Arguments: now, the payload, the
   * new lifetime in milliseconds, the new fields. Returns 1 if the entry was replaced.
   */
  replace: `${PUT} ${UNSPENT}
    if not isUnspent(KEYS[1], ARGV[1], ARGV[2]) then return 0 end
    put(KEYS[1], ARGV[3], 4, #ARGV)
    return 1`,
  /**
   * Adds a member to an index, and removes expired members. Arguments: the member, its expiry, now,
   * its lifetime in milliseconds.
   */
  index: `${INDEX} index(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4])`,
  /**
   * Marks an entry as used. Arguments: now, the latest expiry, the lifetime until this expiry in
   * milliseconds (0: the expiry stays) and, optionally, the payload that the entry must have.
   * Returns 1 if the entry was marked.
   */
  consume: `${UNSPENT} ${SPEND}
    if not isUnspent(KEYS[1], ARGV[1], ARGV[4]) then return 0 end
    spend(KEYS[1], ARGV[1], ARGV[2], ARGV[3])
    return 1`,
  /** Changes the expiry of a member of an index. Arguments: the member, the expiry. */
  shorten: `return redis.call('ZADD', KEYS[1], 'XX', ARGV[2], ARGV[1])`,
  /**
   * Returns the entry as it is, and extends its lifetime if it expires soon. Arguments: now, the
   * latest expiry that counts as soon, the new expiry, and the new lifetime in milliseconds.
   */
  renew: `
    local all = redis.call('HGETALL', KEYS[1])
    local expiresAt = tonumber(redis.call('HGET', KEYS[1], 'expiresAt') or 0)
    if expiresAt > tonumber(ARGV[1]) and expiresAt <= tonumber(ARGV[2]) then
      redis.call('HSET', KEYS[1], 'expiresAt', ARGV[3])
      redis.call('PEXPIRE', KEYS[1], ARGV[4])
    end
    return all`,
  /**
   * Removes the entry if it is unused and has a certain payload. Arguments: now, the payload.
   * Returns 1 if the entry was removed.
   */
  remove: `${UNSPENT}
    if not isUnspent(KEYS[1], ARGV[1], ARGV[2]) then return 0 end
    return redis.call('DEL', KEYS[1])`,
  /**
   * Removes the entry and returns its fields, if it has this `uid` and has not expired. Arguments:
   * the `uid`, now.
   */
  take: `
    local entry = redis.call('HMGET', KEYS[1], 'uid', 'expiresAt')
    if entry[1] ~= ARGV[1] or tonumber(entry[2]) <= tonumber(ARGV[2]) then return {} end
    local all = redis.call('HGETALL', KEYS[1])
    redis.call('DEL', KEYS[1])
    return all`,
  deleteOfGrant: `
    if redis.call('HGET', KEYS[1], 'grantId') == ARGV[1] then redis.call('DEL', KEYS[1]) end`,
  attempts: `${MADE}
    local n, _, lastAt = made(KEYS[1], ARGV[1], ARGV[2])
    return { n, lastAt or '0' }`,
  /**
   * Counts an attempt and returns 0, or returns the seconds to wait. Arguments: the field, now, the
   * seconds until attempts are forgotten, then `free`, `base` and `longest` of the limit.
   */
  admit: `${MADE}
    local field, now = ARGV[1], ARGV[2]
    local n, lastAt = made(KEYS[1], field, now)
    local wait = waitAfter(n, lastAt, now, ARGV[4], ARGV[5], ARGV[6])
    if wait == 0 then count(KEYS[1], field, now, ARGV[3]) end
    return wait`,
} as const

/**
 * A function that runs an atomic Lua script on several keys. Resolves to `undefined`, and changes
 * nothing, if the keys are on several servers.
 */
type WideScript = (keys: readonly string[], ...values: Value[]) => Promise<unknown>

/** The scripts of the protocol store as functions, which reject with a StoreError. */
export type Scripts = Record<keyof typeof scripts, Script> & Record<keyof typeof ofKeys, WideScript>

/** Registers the scripts with a connection, and makes their functions. */
export function createScripts(client: RedisConnection): Scripts {
  let isOneServer = !client.isCluster

  function define(
    name: string,
    lua: string,
  ): (keys: readonly string[], ...values: Value[]) => Promise<unknown> {
    const command = `latchkey_${name}`
    client.defineCommand(command, { lua })
    const run = (client as unknown as Record<string, Command>)[command] as Command
    return (keys, ...values) => run.call(client, keys.length, ...keys, ...values)
  }

  function ofOneKey([name, lua]: [string, string]): [string, Script] {
    const run = define(name, lua)
    return [name, (key, ...values) => answered(name, run([key], ...values))]
  }

  function ofAllKeys([name, lua]: [string, string]): [string, WideScript] {
    const run = define(name, lua)
    const step: WideScript = async (keys, ...values) => {
      if (keys.length > 1 && !isOneServer) return undefined
      const done = run(keys, ...values).catch((error: Error) => {
        // A proxy in front of several servers responds with this error.
        if (!/(^|-)CROSSSLOT /.test(error.message)) throw error
        isOneServer = false
      })
      return answered(name, done)
    }
    return [name, step]
  }

  return Object.fromEntries([
    ...Object.entries(scripts).map(ofOneKey),
    ...Object.entries(ofKeys).map(ofAllKeys),
  ]) as Scripts
}

type Command = (keys: number, ...more: Value[]) => Promise<unknown>

/**
 * Resolves to the response of Redis. Rejects with a StoreError if the command fails.
 *
 * @param name - The name of the command or script, for traces.
 */
export async function answered<T>(name: string, command: Promise<T>): Promise<T> {
  try {
    return await inClientSpan('redis', name, () => command)
  } catch (cause) {
    count('storeErrors', { store: 'redis' })
    throw new StoreError(`Redis failed: ${(cause as Error).message}.`, { cause })
  }
}
