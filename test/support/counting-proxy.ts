import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** The traffic between a process and its store. */
export interface Traffic {
  /** How often the process waited: commands that left together share a round trip. */
  roundTrips: number
  commands: string[]
}

/** A proxy in front of a store that counts. */
export interface CountingProxy extends AsyncDisposable {
  readonly port: number
  /** What a step sends; commands for which `isOther` is true are left out. */
  count(step: () => Promise<unknown>): Promise<Traffic>
}

/** Finds the commands in the bytes of one connection, chunk by chunk. */
type Reader = (chunk: Buffer) => string[]

/**
 * Stands in front of a Redis.
 *
 * @param isOther - Recognizes the commands of tasks in the background, by their first two words.
 */
export const countRedis = (
  port: number,
  isOther: (command: string) => boolean = () => false,
): Promise<CountingProxy> => startProxy(port, () => readRedis(isOther))

/**
 * Stands in front of a PostgreSQL.
 *
 * @param isOther - Recognizes the statements of tasks in the background.
 */
export const countPostgres = (
  port: number,
  isOther: (sql: string) => boolean,
): Promise<CountingProxy> => startProxy(port, () => readPostgres(isOther))

async function startProxy(port: number, newReader: () => Reader): Promise<CountingProxy> {
  const traffic: Traffic = { roundTrips: 0, commands: [] }
  /** Connections that wait for an answer. */
  const waiting = new Set<object>()
  const server = createServer((socket) => {
    const upstream = connect(port, '127.0.0.1')
    const read = newReader()
    socket.on('data', (chunk: Buffer) => {
      const commands = read(chunk)
      if (commands.length > 0) {
        if (waiting.size === 0) traffic.roundTrips++
        waiting.add(socket)
        traffic.commands.push(...commands)
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk: Buffer) => {
      waiting.delete(socket)
      socket.write(chunk)
    })
    socket.on('close', () => upstream.destroy()).on('error', () => {})
    upstream.on('close', () => socket.destroy()).on('error', () => {})
    socket.on('close', () => waiting.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async count(step) {
      Object.assign(traffic, { roundTrips: 0, commands: [] })
      await step()
      return { ...traffic }
    },
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

/** Reads the protocol of Redis: an array of bulk strings for each command. */
function readRedis(isOther: (command: string) => boolean): Reader {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    const commands: string[] = []
    for (;;) {
      const parsed = parseArray(rest)
      if (!parsed) return commands
      const command = parsed.words.slice(0, 2).join(' ').slice(0, 50)
      if (!isOther(command)) commands.push(command)
      rest = rest.subarray(parsed.length)
    }
  }
}

function parseArray(bytes: Buffer): { words: string[]; length: number } | undefined {
  const lineAt = (from: number): { value: number; next: number } | undefined => {
    const end = bytes.indexOf('\r\n', from)
    return end < 0
      ? undefined
      : { value: Number(bytes.toString('latin1', from + 1, end)), next: end + 2 }
  }
  const head = lineAt(0)
  if (!head) return undefined
  const words: string[] = []
  let at = head.next
  for (let n = 0; n < head.value; n++) {
    const size = lineAt(at)
    if (!size || bytes.length < size.next + size.value + 2) return undefined
    words.push(bytes.toString('latin1', size.next, size.next + size.value))
    at = size.next + size.value + 2
  }
  return { words, length: at }
}

/** Reads the protocol of PostgreSQL: each statement is one Execute, or one simple Query. */
function readPostgres(isOther: (sql: string) => boolean): Reader {
  let rest = Buffer.alloc(0)
  let hasBegun = false
  const prepared = new Map<string, string>()
  let bound = ''
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    const statements: string[] = []
    for (;;) {
      // The first message has no type.
      const head = hasBegun ? 1 : 0
      if (rest.length < head + 4) break
      const length = head + rest.readUInt32BE(head)
      if (rest.length < length) break
      const type = hasBegun ? String.fromCharCode(rest[0] as number) : ''
      const texts = rest.toString('utf8', head + 4, length).split('\0')
      hasBegun = true
      rest = rest.subarray(length)
      if (type === 'P') prepared.set(texts[0] ?? '', texts[1] ?? '')
      if (type === 'B') bound = prepared.get(texts[1] ?? '') ?? ''
      const sql = type === 'E' ? bound : type === 'Q' ? (texts[0] ?? '') : ''
      if (sql && !isOther(sql)) statements.push(sql)
    }
    return statements
  }
}
