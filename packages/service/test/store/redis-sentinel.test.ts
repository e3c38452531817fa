import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../test/support/free-port.ts'
import { startSilentProxy } from '../../../../test/support/silent-proxy.ts'
import { startRedis, startSentinel } from '../../../session-store/test/support/redis.ts'
import { type TlsFiles, tlsFiles, tlsMissing } from '../../../session-store/test/support/tls.ts'
import { connectRedis, type RedisConnection } from '../../src/store/redis/connect.ts'

/** A connection that is closed after the test. */
function connected(url: string): RedisConnection {
  const client = connectRedis(url)
  onTestFinished(() => client.disconnect())
  return client
}

const missing = tlsMissing()
if (missing) process.stdout.write(`TLS to Sentinel is not tested: ${missing}.\n`)

describe.skipIf(missing)('a Sentinel and a Redis that speak TLS alone', () => {
  const trusted = getCACertificates('default')
  let certificates: TlsFiles
  beforeAll(async () => {
    certificates = await tlsFiles()
  })
  afterEach(() => setDefaultCACertificates(trusted))

  /** Starts both. They have a port without TLS too, which neither Sentinel nor the URL names. */
  async function startBoth() {
    const started = new AsyncDisposableStack()
    const start = async (lines: string[], isSentinel = false) => {
      const port = await freePort()
      const tls = [
        `tls-port ${port}`,
        `tls-cert-file ${certificates.certificateFile}`,
        `tls-key-file ${certificates.keyFile}`,
        `tls-ca-cert-file ${certificates.caFile}`,
        'tls-auth-clients no',
        'tls-replication yes',
      ]
      const redis = started.use(await startRedis([...tls, ...lines], { isSentinel }))
      return { redis, port }
    }
    const { redis, port } = await start(['user app on >secret ~* &* +@all'])
    const sentinel = await start([`sentinel monitor sessions 127.0.0.1 ${port} 1`], true)
    const url = `rediss-sentinel://app:secret@127.0.0.1:${sentinel.port}/sessions`
    return { redis, url, [Symbol.asyncDispose]: () => started.disposeAsync() }
  }

  test('are both reached over TLS by an address that begins with rediss-sentinel', async () => {
    await using both = await startBoth()
    setDefaultCACertificates([...trusted, certificates.ca])
    const client = connected(both.url)
    await expect.poll(() => client.set('k', '1').catch(() => 'no answer')).toBe('OK')
    expect(await both.redis.inspect((r) => r.get('k'))).toBe('1')
  })

  test('get no command if their certificates are not trusted', async () => {
    await using both = await startBoth()
    await expect(connected(both.url).set('k', '1')).rejects.toThrow()
    expect(await both.redis.inspect((r) => r.get('k'))).toBeNull()
  })
})

test('a Sentinel that accepts connections and says nothing is passed over', async () => {
  await using set = await startSentinel()
  using proxy = await startSilentProxy(set.sentinel.port)
  proxy.silenceNew(true)
  const both = `127.0.0.1:${proxy.port},127.0.0.1:${set.sentinel.port}`
  const client = connected(`redis-sentinel://${both}/sessions`)
  await expect.poll(() => client.set('k', '1').catch(() => 'no answer')).toBe('OK')
  expect(proxy.connections()).toBeGreaterThan(0)
})
