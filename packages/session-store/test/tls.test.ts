import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createSessionStore } from '@latchkey/session-store'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../test/support/free-port.ts'
import { record } from './support/record.ts'
import { startRedis, type TestRedis } from './support/redis.ts'
import { type TlsFiles, tlsFiles, tlsMissing } from './support/tls.ts'

const secret = 'a secret of the tests, 32 characters long'
const missing = tlsMissing()
if (missing) process.stdout.write(`TLS to Redis is not tested: ${missing}.\n`)

describe.skipIf(missing)('over TLS', () => {
  let certificates: TlsFiles
  let redis: TestRedis
  let port: number
  beforeAll(async () => {
    certificates = await tlsFiles()
    port = await freePort()
    redis = await startRedis([
      `tls-port ${port}`,
      `tls-cert-file ${certificates.certificateFile}`,
      `tls-key-file ${certificates.keyFile}`,
      `tls-ca-cert-file ${certificates.caFile}`,
      'tls-auth-clients no',
    ])
  })
  afterAll(() => redis?.[Symbol.asyncDispose]())

  test('a client that trusts the authority keeps sessions, with ioredis and with node-redis', async () => {
    const { ca } = certificates
    const ioredis = new Redis({ host: '127.0.0.1', port, tls: { ca } }).on('error', () => {})
    const nodeRedis = createClient({ socket: { host: '127.0.0.1', port, tls: true, ca } })
    // Also where an expectation fails: a client that goes on connects to a Redis that is gone, in the files after this one.
    onTestFinished(() => {
      ioredis.disconnect()
      nodeRedis.destroy()
    })
    await nodeRedis.on('error', () => {}).connect()
    const [one, two] = [ioredis, nodeRedis].map((client) => createSessionStore({ client, secret }))

    await one?.set('first', record({ cart: 1 }))
    expect(await two?.get('first')).toMatchObject({ data: { cart: 1 } })
    // The server may not have closed the connections yet that found out whether it answers.
    await expect.poll(() => redis.inspect((r) => r.info('clients'))).toMatch(/connected_clients:3/)
  })

  test('an address is enough where Node trusts the authority', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        '--conditions=latchkey-source',
        fileURLToPath(new URL('support/one-session.ts', import.meta.url)),
        `rediss://127.0.0.1:${port}`,
      ],
      { env: { ...process.env, NODE_EXTRA_CA_CERTS: certificates.caFile } },
    )
    expect(stdout).toBe('read back 1\n')
  })

  test('no session is sent to a Redis with an untrusted certificate', async () => {
    const store = createSessionStore({
      url: `rediss://127.0.0.1:${port}`,
      secret,
      timeoutMilliseconds: 300,
    })
    onTestFinished(() => store.close())
    await expect(store.set('second', record())).rejects.toMatchObject({
      code: 'LATCHKEY_SESSION_UNAVAILABLE',
    })
    await expect(store.get('first')).rejects.toThrow()
    expect(store.health().status).toBe('unavailable')
    await store.close()
    expect(await redis.inspect((r) => r.keys('latchkey:s:*'))).toHaveLength(2)
  })
})
