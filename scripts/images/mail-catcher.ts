import { createServer } from 'node:http'
import { SMTPServer } from 'smtp-server'

/**
 * Stands in for Mailpit in the drill, as far as the drill needs it: takes each mail on port 1025, and shows all of them on port 8025. The
 * newest one is also at the address that Mailpit has for its source.
 */
const mails: string[] = []

new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  onData(stream, _, callback) {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      mails.unshift(Buffer.concat(chunks).toString())
      callback()
    })
  },
}).listen(1025)

createServer(({ url }, response) => {
  const [newest] = mails
  if (url === '/api/v1/message/latest/raw') {
    response.writeHead(newest ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' })
    return response.end(newest)
  }
  const texts = mails.map(
    (mail) => `<pre>${mail.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`,
  )
  response.setHeader('content-type', 'text/html; charset=utf-8')
  return response.end(`<title>Mails</title><h1>${mails.length} mails</h1>${texts.join('<hr>')}`)
}).listen(8025)
