import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What becomes of a request: passed on; carried out without an answer; not known; or too large. */
export type Fate = 'pass' | 'lose' | 'hide' | 'refuse'

/** A server in front of another one. */
export interface Proxy extends AsyncDisposable {
  url: string
}

/** Starts a proxy that decides about each POST by the path and the number of its kind. */
export async function startProxy(
  target: string,
  fateOf: (path: string, number: number) => Fate | Promise<Fate>,
): Promise<Proxy> {
  let posts = 0
  const server = createServer((req, res) => {
    answer(req, res).catch((error) => res.destroy(error))
  })
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk)
    const isPost = req.method === 'POST'
    const fate = isPost ? await fateOf(req.url ?? '', posts++) : 'pass'
    if (fate === 'hide' || fate === 'refuse') {
      res.writeHead(fate === 'hide' ? 404 : 413).end('<h1>Not here</h1>')
      return
    }
    const answered = await fetch(`${target}${req.url}`, {
      method: req.method ?? 'GET',
      headers: {
        authorization: req.headers.authorization ?? '',
        'content-type': req.headers['content-type'] ?? '',
      },
      ...(isPost && { body: Buffer.concat(chunks) }),
    }).catch(() => undefined)
    if (fate === 'lose' || !answered) {
      res.destroy()
      return
    }
    const headers = Object.fromEntries(answered.headers)
    delete headers['content-length']
    res.writeHead(answered.status, headers).end(await answered.text())
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
