import { randomUUID } from 'node:crypto'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** The error of a Redis server that answers, but refuses to write. */
export class WriteRefused extends Error {}

/**
 * Writes a key that expires after ten seconds to a Redis server. The user and password of the URL
 * are sent first. Resolves to whether the key was written: a node of a Cluster may answer that
 * another node has the key.
 *
 * @throws {@link WriteRefused} if the server refuses to write.
 * @throws if the server refuses the password, closes the connection or does not answer within 5 s.
 *   The message has the reason.
 */
export async function writeToRedis(redisUrl: string): Promise<boolean> {
  const { protocol, hostname, port, username, password } = new URL(redisUrl)
  const where = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) }
  const credentials = [username, password].map(decodeURIComponent).filter(Boolean)
  const write = ['SET', `latchkey:check:${randomUUID()}`, '', 'PX', '10000']
  const commands = [...(credentials.length > 0 ? [['AUTH', ...credentials]] : []), write]
  const socket =
    protocol === 'rediss:' ? connectTls({ ...where, servername: where.host }) : connectTcp(where)
  try {
    return await new Promise<boolean>((resolve, reject) => {
      let text = ''
      socket.setTimeout(5_000, () => reject(new Error('no answer within 5 s')))
      socket.once('error', reject)
      socket.on('data', (chunk) => {
        text += chunk
        // Each answer is one line: `+OK`, or `-` and an error.
        const answers = text.split('\r\n').slice(0, -1)
        const refused = answers.findIndex((answer) => !answer.startsWith('+'))
        const found = answers[refused]
        const reason = found?.slice(1)
        if (reason === undefined) {
          if (answers.length === commands.length) resolve(true)
        } else if (!found?.startsWith('-')) reject(new Error('it is no Redis'))
        else if (commands[refused] !== write || /^(NOAUTH|LOADING) /.test(reason))
          reject(new Error(reason))
        else if (/^(MOVED|ASK|TRYAGAIN) /.test(reason)) resolve(false)
        else reject(new WriteRefused(reason))
      })
      socket.once('close', () => reject(new Error('it closed the connection')))
      for (const words of commands) socket.write(command(words))
    })
  } finally {
    socket.destroy()
  }
}

function command(words: string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  return `*${words.length}\r\n${parts.join('')}`
}
