import { once } from 'node:events'
import { connect } from 'node:net'

/** A response to a raw request. */
export interface RawAnswer {
  readonly status: number
  /** The head and the body of the response. */
  readonly text: string
}

/**
 * Sends a request with exactly this target. HTTP clients would normalize `//p` and `/./p`, and
 * cannot send a target in absolute form.
 */
export async function sendRaw(
  port: number,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const all = { host: 'localhost:3000', connection: 'close', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
  let text = ''
  for await (const chunk of socket.setEncoding('latin1')) text += chunk
  return { status: Number(text.split(' ')[1]), text }
}
