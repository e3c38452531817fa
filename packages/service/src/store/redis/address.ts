/** The parts of the URL of a Redis or Valkey. */
export interface RedisAddress {
  kind: 'server' | 'cluster' | 'sentinel'
  nodes: { host: string; port: number }[]
  username: string | undefined
  password: string | undefined
  /** The number of the database on one server. 0 on a Cluster and behind Sentinel. */
  database: number
  /** The name by which Sentinel knows the server; `undefined` without Sentinel. */
  name: string | undefined
  hasTls: boolean
}

const ADDRESS = /^(rediss?(?:-cluster|-sentinel)?):\/\/(?:([^@]*)@)?([^/?#]+)(?:\/([^?#]*))?$/

const FORMS =
  'redis://host:6379, redis-cluster://host:6379,other:6379 or ' +
  'redis-sentinel://host:26379,other:26379/name-of-the-server (rediss… with TLS)'

const UNENCODED =
  'The user or the password in the address of Redis has a character that must be percent-encoded. ' +
  'Write %3A for ":", %40 for "@" and %25 for "%".'

/**
 * Parses a URL: `redis://`; `redis-cluster://` with one or more nodes; or `redis-sentinel://` with
 * the sentinels and, as the path, the name of the server. `rediss` instead of `redis` means TLS.
 *
 * @throws for any other text, and for a user or password that is not percent-encoded. The message
 *   does not contain the password.
 */
export function parseRedisAddress(text: string): RedisAddress {
  const [, scheme = '', login, hosts = '', path = ''] = ADDRESS.exec(text) ?? []
  const kind = (/-(\w+)$/.exec(scheme)?.[1] ?? 'server') as RedisAddress['kind']
  const nodes = hosts.split(',').map((host) => nodeOf(host, kind === 'sentinel' ? 26_379 : 6_379))
  const [username, password, ...more] = login?.split(':').map(decoded) ?? []
  const isNumber = /^\d*$/.test(path)
  const fits = {
    server: nodes.length === 1 && isNumber,
    cluster: path === '',
    sentinel: path !== '' && !isNumber,
  }
  // Otherwise, a part of the password would be used as a host, and be shown as one.
  if (more.length > 0 || text.indexOf('@') !== text.lastIndexOf('@')) throw new Error(UNENCODED)
  if (scheme === '' || !fits[kind]) throw new Error(`The address of Redis must be ${FORMS}.`)
  return {
    kind,
    nodes,
    username: username || undefined,
    password,
    database: kind === 'server' ? Number(path) : 0,
    name: kind === 'sentinel' ? decodeURIComponent(path) : undefined,
    hasTls: scheme.startsWith('rediss'),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error(UNENCODED)
  }
}

function nodeOf(text: string, defaultPort: number): { host: string; port: number } {
  const [, host = text, port] = /^(.*?)(?::(\d+))?$/.exec(text) ?? []
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? defaultPort) }
}
