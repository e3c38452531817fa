import { Agent, type IncomingMessage, request } from 'node:http'

/** A browser as far as a login needs one: it keeps cookies of one application. */
export interface Visitor {
  /** Logs in, through the provider, and answers with the `Cookie` header to come back with. */
  logIn(): Promise<string>
  close(): void
}

/** Makes a visitor of the application on a local port. */
export function createVisitor(port: number): Visitor {
  const agent = new Agent({ keepAlive: true })
  const open = (url: URL, cookie = ''): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { accept: 'text/html', ...(cookie && { cookie }) }
      const sent = request(url, { agent, headers }, (response) => {
        response.resume().on('end', () => resolve(response))
      })
      // A kept connection may be given up at the moment it is taken up again.
      sent.on('error', (error) => (sent.reusedSocket ? resolve(open(url, cookie)) : reject(error)))
      sent.end()
    })
  return {
    async logIn() {
      const jar = new Map<string, string>()
      let url: URL | undefined = new URL(`http://127.0.0.1:${port}/login`)
      for (let hop = 0; url && hop < 3; hop++) {
        const here: URL = url
        const isOurs = here.port === String(port)
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
        const { headers, statusCode = 0 } = await open(here, isOurs ? cookie : '')
        if (statusCode >= 400) throw new Error(`${statusCode} at ${here.pathname}`)
        for (const line of headers['set-cookie'] ?? []) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          if (value) jar.set(name, value)
          else jar.delete(name)
        }
        url = headers.location ? new URL(headers.location, here) : undefined
      }
      return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    },
    close: () => agent.destroy(),
  }
}
