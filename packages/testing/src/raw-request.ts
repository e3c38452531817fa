import { once } from 'node:events'
import { connect } from 'node:net'

/** An answer to a request that was written by hand. */
export interface RawAnswer {
  readonly status: number
  /** Head and body. */
  readonly text: string
}

/**
 * Sends a request whose target stays as it is written: clients normalize `//p` and `/./p`, and cannot
 * send the absolute form.
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
