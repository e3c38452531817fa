import { once } from 'node:events'
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'

export interface Load {
  port: number
  /** Connections that are kept alive, each with one request under way at a time. */
  connections: number
  /** How many requests are sent in all, unless `seconds` says how long. */
  requests?: number
  seconds?: number
  /** The text of the nth request. */
  request(n: number): string
  /** The status that every answer must have. Default 200. */
  status?: number
}

export interface LoadResult {
  seconds: number
  /** Of each request, in milliseconds, ascending. */
  latencies: number[]
}

/**
 * Sends requests over plain sockets: the client shares the machine with the server, so it does
 * nothing beyond finding the end of an answer.
 *
 * @throws when an answer has another status.
 */
export async function load({
  port,
  connections,
  requests = Number.POSITIVE_INFINITY,
  seconds = Number.POSITIVE_INFINITY,
  request,
  status = 200,
}: Load): Promise<LoadResult> {
  const latencies: number[] = []
  let next = 0
  const begin = performance.now()

  async function work(): Promise<void> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    await new Promise<void>((resolve, reject) => {
      let sent = 0
      let received = ''
      function send(): void {
        if (next >= requests || performance.now() - begin >= seconds * 1_000) {
          socket.destroy()
          resolve()
          return
        }
        sent = performance.now()
        socket.write(request(next++))
      }
      socket.setEncoding('latin1')
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('The server closed the connection.')))
      socket.on('data', (chunk: string) => {
        received += chunk
        const head = received.indexOf('\r\n\r\n')
        if (head < 0) return
        const length = /content-length: (\d+)/i.exec(received)?.[1] ?? 0
        if (received.length < head + 4 + Number(length)) return
        if (!received.startsWith(`HTTP/1.1 ${status}`)) return reject(new Error(received))
        latencies.push(performance.now() - sent)
        received = ''
        send()
      })
      send()
    })
  }
  await Promise.all(Array.from({ length: connections }, work))
  const took = (performance.now() - begin) / 1_000
  return { seconds: took, latencies: latencies.sort((a, b) => a - b) }
}

/** The text of a request. */
export function get(path: string, headers: Record<string, string> = {}, host = 'x'): string {
  return `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines(headers)}\r\n`
}

/** The text of a request with a JSON body in ASCII. */
export function post(path: string, body: object, headers: Record<string, string> = {}): string {
  const text = JSON.stringify(body)
  return (
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n` +
    `content-length: ${text.length}\r\n${lines(headers)}\r\n${text}`
  )
}

function lines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}
