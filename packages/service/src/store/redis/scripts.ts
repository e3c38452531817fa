import { count } from '../../telemetry/metrics.ts'
import { inClientSpan } from '../../telemetry/tracing.ts'
import { StoreError } from '../errors.ts'
import type { RedisConnection } from './connect.ts'

type Value = string | number

/** An atomic step on one key, so that it runs on a Cluster as well. */
type Script = (key: string, ...values: Value[]) => Promise<unknown>

/** Replaces an entry: how long it lives in milliseconds (0: for ever), and the place of its fields in ARGV. */
const PUT = `
  local function put(ms, from)
    redis.call('DEL', KEYS[1])
    redis.call('HSET', KEYS[1], unpack(ARGV, from))
    if ms ~= '0' then redis.call('PEXPIRE', KEYS[1], ms) end
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

/**
 * Replaces an entry and adds it to indexes, for a server that has all keys: the entry, its indexes, and its
 * second name if it has one. Then milliseconds, expiry, now, the number of indexes, the fields.
 */
const PUT_ALL = `${PUT} ${INDEX}
  put(ARGV[1], 5)
  local last = 1 + tonumber(ARGV[4])
  for at = 2, last do index(KEYS[at], KEYS[1], ARGV[2], ARGV[3], ARGV[1]) end
  if KEYS[last + 1] then
    if ARGV[1] == '0' then redis.call('SET', KEYS[last + 1], KEYS[1])
    else redis.call('SET', KEYS[last + 1], KEYS[1], 'PX', ARGV[1]) end
  end`

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
  put: `${PUT} put(ARGV[1], 2)`,
  /** Adds a member until it expires, and drops those that have: member, expiry, now, milliseconds. */
  index: `${INDEX} index(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4])`,
  consume: `
    local entry = redis.call('HMGET', KEYS[1], 'expiresAt', 'consumedAt', 'payload')
    if not entry[1] or tonumber(entry[1]) <= tonumber(ARGV[1]) or entry[2] then return 0 end
    if ARGV[2] and (entry[3] or '') ~= ARGV[2] then return 0 end
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
   * Writes an entry with its indexes in one step; see PUT_ALL. Resolves to `false` where the keys are on
   * several servers, as on a Cluster; nothing has been written then.
   */
  putAll(keys: readonly string[], ...values: Value[]): Promise<boolean>
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
  return { ...ofOneKey, putAll: putAllOn(client) }
}

function putAllOn(client: RedisConnection): Scripts['putAll'] {
  client.defineCommand('latchkey_putAll', { lua: PUT_ALL })
  const { latchkey_putAll: run } = client as unknown as {
    latchkey_putAll(keys: number, ...more: Value[]): Promise<unknown>
  }
  let isOneServer = !client.isCluster
  return async (keys, ...values) => {
    if (!isOneServer) return false
    const written = run.call(client, keys.length, ...keys, ...values).catch((error: Error) => {
      // A proxy in front of several servers says so.
      if (!/(^|-)CROSSSLOT /.test(error.message)) throw error
      isOneServer = false
    })
    await answered('putAll', written)
    return isOneServer
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
