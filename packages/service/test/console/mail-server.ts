import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail server that refuses every message with `code`, while there is one. */
export async function startMailServer() {
  const state: { code?: number | undefined } = { code: 451 }
  const received: string[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _, callback) {
      let source = ''
      stream.on('data', (chunk: Buffer) => {
        source += chunk.toString('utf8')
      })
      stream.on('end', () => {
        if (state.code) {
          const error = new Error('5.1.1 No such mailbox <script>alert(1)</script>')
          return callback(Object.assign(error, { responseCode: state.code }))
        }
        received.push(source.replaceAll('=\r\n', '').replaceAll('=3D', '='))
        callback()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    ...{ state, received },
    mail: { url: `smtp://127.0.0.1:${port}`, from: 'no-reply@acme.example' },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
