import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'

/**
 * Checks that a Redis server answers `PING`. The user and password of the URL are sent first.
 *
 * @throws if the server answers with an error, closes the connection or does not answer within 5 s.
 *   The message has the reason.
 */
export async function pingRedis(redisUrl: string): Promise<void> {
  const { protocol, hostname, port, username, password } = new URL(redisUrl)
  const where = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) }
  const credentials = [username, password].map(decodeURIComponent).filter(Boolean)
  const socket =
    protocol === 'rediss:' ? connectTls({ ...where, servername: where.host }) : connectTcp(where)
  try {
    await new Promise<void>((resolve, reject) => {
      let answer = ''
      socket.setTimeout(5_000, () => reject(new Error('no answer within 5 s')))
      socket.once('error', reject)
      socket.on('data', (chunk) => {
        answer += chunk
        if (answer.startsWith('-')) reject(new Error(answer.slice(1).split('\r\n')[0]))
        if (answer.includes('+PONG')) resolve()
        if (answer.includes('\r\n-')) reject(new Error('it refused the PING'))
      })
      socket.once('close', () => reject(new Error('it closed the connection')))
      if (credentials.length > 0) socket.write(command(['AUTH', ...credentials]))
      socket.write(command(['PING']))
    })
  } finally {
    socket.destroy()
  }
}

function command(words: string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  return `*${words.length}\r\n${parts.join('')}`
}
