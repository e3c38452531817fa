import { count } from '../../telemetry/metrics.ts'
import { inClientSpan } from '../../telemetry/tracing.ts'
import { StoreError } from '../errors.ts'
import type { RedisConnection } from './connect.ts'

type Value = string | number

/** An atomic step on one key, so that it runs on a Cluster as well. */
type Script = (key: string, ...values: Value[]) => Promise<unknown>

/**
 * Replaces an entry: how long it lives in milliseconds (0: for ever), and where its fields are in ARGV; as text,
 * where they end.
 */
const PUT = `
  local function put(key, ms, from, to)
    redis.call('DEL', key)
    redis.call('HSET', key, unpack(ARGV, from, to))
    if ms ~= '0' then redis.call('PEXPIRE', key, ms) end
  end`

/** Adds a member to an index until it expires, and drops those that have. */
const INDEX = `
  local function index(key, member, expiresAt, now, ms)
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    redis.call('ZADD', key, expiresAt, member)
    local ttl = redis.call('PTTL', key)
    if ms == '0' then redis.call('PERSIST', key)
    elseif ttl == -1 and redis.call('ZCARD', key) > 1 then return
    elseif ttl < tonumber(ms) then redis.call('PEXPIRE', key, ms) end
  end`

/** Whether an entry can be spent. */
const UNSPENT = `
  local function isUnspent(key, now, payload)
    local entry = redis.call('HMGET', key, 'expiresAt', 'consumedAt', 'payload')
    if not entry[1] or tonumber(entry[1]) <= tonumber(now) or entry[2] then return false end
    return not payload or (entry[3] or '') == payload
  end`

/**
 * Makes changes in one step, for a server that has all keys: those of entries to spend, those to remove, and for each
 * entry to put, its own, those of its indexes, and that of its second name. Now, the number of entries to spend and
 * to remove; then for each one to put: milliseconds, expiry, the numbers of indexes, names and fields, the fields.
 */
const WRITE = `${PUT} ${INDEX} ${UNSPENT}
  local now, spent, removed = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
  for at = 1, spent do if not isUnspent(KEYS[at], now) then return 0 end end
  for at = 1, spent do redis.call('HSET', KEYS[at], 'consumedAt', now) end
  for at = spent + 1, spent + removed do redis.call('DEL', KEYS[at]) end
  local key, arg = spent + removed + 1, 4
  while KEYS[key] do
    local entry, ms, expiresAt = KEYS[key], ARGV[arg], ARGV[arg + 1]
    local indexes, names, fields = tonumber(ARGV[arg + 2]), tonumber(ARGV[arg + 3]), tonumber(ARGV[arg + 4])
    put(entry, ms, arg + 5, arg + 4 + fields)
    for at = key + 1, key + indexes do index(KEYS[at], entry, expiresAt, now, ms) end
    key = key + 1 + indexes
    if names == 1 then
      if ms == '0' then redis.call('SET', KEYS[key], entry)
      else redis.call('SET', KEYS[key], entry, 'PX', ms) end
      key = key + 1
    end
    arg = arg + 5 + fields
  end
  return 1`

/** The state of a field of attempts, written as `count lastAt forgetAt`. */
const MADE = `
  local function made()
    local text = redis.call('HGET', KEYS[1], ARGV[1])
    if not text then return 0, 0 end
    local count, lastAt, forgetAt = string.match(text, '^(%d+) (%d+) (%d+)$')
    if tonumber(forgetAt) <= tonumber(ARGV[2]) then return 0, 0 end
    return tonumber(count), tonumber(lastAt), lastAt
  end
  local function count(before)
    local forgetAt = tonumber(ARGV[2]) + tonumber(ARGV[3]) * 1e6
    local text = string.format('%.0f %s %.0f', before + 1, ARGV[2], forgetAt)
    redis.call('HSET', KEYS[1], ARGV[1], text)
    local ms = tonumber(ARGV[3]) * 1000
    if redis.call('PTTL', KEYS[1]) < ms then redis.call('PEXPIRE', KEYS[1], ms) end
  end
  local function waitAfter(n, lastAt)
    if n == 0 then return 0 end
    local over = n - tonumber(ARGV[4])
    local wait = 0
    if over >= 0 then
      wait = math.min(tonumber(ARGV[5]) * 2 ^ math.min(over, 30), tonumber(ARGV[6]))
    end
    return math.max(0, math.ceil((lastAt + wait * 1e6 - tonumber(ARGV[2])) / 1e6))
  end`

/** The attempts under way of a field, but for one: how many, and as text: `attempt until ` of each. */
const UNDER_WAY = `
  local name = 'under way ' .. ARGV[1]
  local function underWay(without)
    local n, text = 0, ''
    for attempt, till in string.gmatch(redis.call('HGET', KEYS[1], name) or '', '(%S+) (%d+) ') do
      if attempt ~= without and tonumber(till) > tonumber(ARGV[2]) then
        n, text = n + 1, text .. attempt .. ' ' .. till .. ' '
      end
    end
    return n, text
  end`

// Times are arguments, in microseconds of the service's clock.
const scripts = {
  /** Replaces an entry: how long it lives in milliseconds (0: for ever), then its fields. */
  put: `${PUT} put(KEYS[1], ARGV[1], 2, #ARGV)`,
  /** Adds a member until it expires, and drops those that have: member, expiry, now, milliseconds. */
  index: `${INDEX} index(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4])`,
  consume: `${UNSPENT}
    if not isUnspent(KEYS[1], ARGV[1], ARGV[2]) then return 0 end
    redis.call('HSET', KEYS[1], 'consumedAt', ARGV[1])
    return 1`,
  /** Removes the entry and returns it, if it has this uid. */
  take: `
    local entry = redis.call('HMGET', KEYS[1], 'uid', 'expiresAt')
    if entry[1] ~= ARGV[1] or tonumber(entry[2]) <= tonumber(ARGV[2]) then return {} end
    local all = redis.call('HGETALL', KEYS[1])
    redis.call('DEL', KEYS[1])
    return all`,
  deleteOfGrant: `
    if redis.call('HGET', KEYS[1], 'grantId') == ARGV[1] then redis.call('DEL', KEYS[1]) end`,
  attempts: `${MADE}
    local n, _, lastAt = made()
    return { n, lastAt or '0' }`,
  /** Field, now, seconds until attempts are forgotten, then the limit: free, base and longest wait. */
  admit: `${MADE}
    local n, lastAt = made()
    local wait = waitAfter(n, lastAt)
    if wait == 0 then count(n) end
    return wait`,
  /**
   * Like `admit`, with the name of the attempt and the time until which it is in progress; -1: it
   * has to wait for others.
   */
  beginAttempt: `${MADE} ${UNDER_WAY}
    local n, lastAt = made()
    local running, text = underWay()
    if running > 0 and n + running >= tonumber(ARGV[4]) then return -1 end
    local wait = waitAfter(n, lastAt)
    if wait > 0 then return wait end
    redis.call('HSET', KEYS[1], name, text .. ARGV[7] .. ' ' .. ARGV[8] .. ' ')
    local ms = math.ceil((tonumber(ARGV[8]) - tonumber(ARGV[2])) / 1000)
    if redis.call('PTTL', KEYS[1]) < ms then redis.call('PEXPIRE', KEYS[1], ms) end
    return 0`,
  /** Field, now, seconds until attempts are forgotten, the name of the attempt, its outcome. */
  endAttempt: `${MADE} ${UNDER_WAY}
    local running, text = underWay(ARGV[4])
    if running > 0 then redis.call('HSET', KEYS[1], name, text) else redis.call('HDEL', KEYS[1], name) end
    if ARGV[5] == 'failed' then count((made()))
    elseif ARGV[5] == 'forgiven' then redis.call('HDEL', KEYS[1], ARGV[1]) end`,
} as const

/** The steps of the protocol store. They reject with a StoreError. */
export type Scripts = Record<keyof typeof scripts, Script> & {
  /**
   * Makes changes in one step; see WRITE. Resolves to whether they were made, or to `undefined` where the keys are on
   * several servers, as on a Cluster; nothing has been written then.
   */
  write(keys: readonly string[], ...values: Value[]): Promise<boolean | undefined>
}

/** Registers the scripts with a connection. */
export function createScripts(client: RedisConnection): Scripts {
  const steps = Object.entries(scripts).map(([name, lua]): [string, Script] => {
    const command = `latchkey_${name}`
    client.defineCommand(command, { numberOfKeys: 1, lua })
    const run = (client as unknown as Record<string, Script>)[command] as Script
    return [name, (key, ...values) => answered(name, run.call(client, key, ...values))]
  })
  const ofOneKey = Object.fromEntries(steps) as Record<keyof typeof scripts, Script>
  return { ...ofOneKey, write: writeOn(client) }
}

function writeOn(client: RedisConnection): Scripts['write'] {
  client.defineCommand('latchkey_write', { lua: WRITE })
  const { latchkey_write: run } = client as unknown as {
    latchkey_write(keys: number, ...more: Value[]): Promise<unknown>
  }
  let isOneServer = !client.isCluster
  return async (keys, ...values) => {
    if (!isOneServer) return undefined
    const written = run.call(client, keys.length, ...keys, ...values).catch((error: Error) => {
      // A proxy in front of several servers says so.
      if (!/(^|-)CROSSSLOT /.test(error.message)) throw error
      isOneServer = false
    })
    const made = await answered('write', written)
    return isOneServer ? made === 1 : undefined
  }
}

/**
 * The response of Redis; throws StoreError without one.
 *
 * @param name - The command or script, for traces.
 */
export async function answered<T>(name: string, command: Promise<T>): Promise<T> {
  try {
    return await inClientSpan('redis', name, () => command)
  } catch (cause) {
    count('storeErrors', { store: 'redis' })
    throw new StoreError(`Redis failed: ${(cause as Error).message}.`, { cause })
  }
}
