import { Agent, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../test/support/free-port.ts'
import { provideNginx, startNginx } from '../../../test/support/nginx.ts'
import { type Serving, serveElsewhere } from './store/serving.ts'

/** How many clients send one request after the other. */
const CLIENTS = 16

/** How often one of the two processes is replaced. */
const REPLACEMENTS = Number(process.env.REPLACEMENTS ?? 4)

/** nginx with two processes behind it, to which it keeps connections open; it asks none whether it is ready. */
async function twoProcesses() {
  provideNginx()
  const ports = [await freePort(), await freePort()]
  const start = (port: number) => serveElsewhere({ port, drainSeconds: 1 })
  const processes = await Promise.all(ports.map(start))
  const servers = ports.map((port) => `server 127.0.0.1:${port} max_fails=0;`).join(' ')
  const nginx = await startNginx(
    await freePort(),
    `location / {
      proxy_pass http://latchkey; proxy_http_version 1.1; proxy_set_header Connection ""; }`,
    `upstream latchkey { ${servers} keepalive ${CLIENTS}; }`,
  )
  onTestFinished(async () => {
    await nginx[Symbol.asyncDispose]()
    await Promise.all(processes.map((one) => one.kill()))
  })
  /** Stops a process as its supervisor does, and starts another one at its port. */
  async function replace(): Promise<void> {
    const old = processes.shift() as Serving
    await old.stop()
    processes.push(await start(old.port))
  }
  return { nginx, replace }
}

/** Clients that go on until they are stopped, and what they were answered how often. */
function startClients(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const answers = new Map<string, number>()
  let isOver = false
  const post = () =>
    new Promise<string>((resolve) => {
      const sent = request(`${url}/v1/tenants`, { method: 'POST', agent })
      sent.on('response', (answer) => {
        answer.resume().on('end', () => resolve(String(answer.statusCode)))
      })
      sent.on('error', (error) => resolve(error.message)).end('{}')
    })
  async function goOn(): Promise<void> {
    while (!isOver) {
      const answer = await post()
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
  }
  const running = Array.from({ length: CLIENTS }, goOn)
  return {
    async stop() {
      isOver = true
      await Promise.all(running)
      agent.destroy()
      return Object.fromEntries(answers)
    },
  }
}

test('SIGTERM alone replaces processes behind nginx, and every POST is answered', async () => {
  const { nginx, replace } = await twoProcesses()
  const clients = startClients(nginx.url)
  for (let n = 0; n < REPLACEMENTS; n++) await replace()
  const answers = await clients.stop()

  // A refused connection is what a process that is being replaced shows; nginx turns to the other one.
  const failed = nginx.errors().filter((line) => !line.includes('connect() failed'))
  expect({ answers: Object.keys(answers), failed }).toEqual({ answers: ['401'], failed: [] })
})
