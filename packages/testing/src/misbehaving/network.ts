import type { ServerResponse } from 'node:http'
import type { NetworkFault } from './faults.ts'

/** Answers as a broken network or server does, or not at all. */
export function answerBadly(fault: Exclude<NetworkFault, 'delayed'>, res: ServerResponse): void {
  switch (fault) {
    case 'down':
      res.destroy()
      return
    case 'hanging':
      return
    case 'dripping':
      drip(res)
      return
    case 'huge':
      pour(res)
      return
    case 'redirecting':
      res.writeHead(302, { location: '/elsewhere' })
      res.end()
      return
    case 'html':
      res.writeHead(200, { 'content-type': 'text/html' })
      res.end('<h1>Welcome to the proxy</h1>')
      return
    case 'empty':
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end()
      return
    case 'server error':
      res.writeHead(503, { 'content-type': 'application/json' })
      res.end('{"error":"server_error"}')
      return
    case 'truncated':
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      res.write('{"iss')
      setTimeout(() => res.destroy(), 20)
  }
}

/** Sends a chunked response with JSON in place of the size of a chunk. */
export function breakHttp(res: ServerResponse, body: unknown): void {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked'
  res.socket?.end(`${head}\r\n\r\n${JSON.stringify(body)}`)
}

/** Sends one byte at a time forever: each byte is in time, the response never completes. */
function drip(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => res.write(' '), 20)
  res.on('close', () => clearInterval(timer))
}

/** Sends megabytes of white space, as fast as the client reads. */
function pour(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'application/json' })
  const block = Buffer.alloc(65_536, ' ')
  const more = (): void => {
    while (!res.destroyed && res.write(block)) {
      // The loop writes until the client stops reading.
    }
  }
  res.on('drain', more)
  more()
}
