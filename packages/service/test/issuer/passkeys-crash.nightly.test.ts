import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, buildConnector, fetch as undiciFetch } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { createIdentityService } from '../../src/service.ts'
import { type Serving, serveElsewhere } from '../store/serving.ts'
import { createBrowser } from './support/browser.ts'
import { createVirtualKey, optionsOn } from './support/keys.ts'
import type { Fetch } from './support/loopback.ts'

const KILLS = 3
const USERS = 4
const issuer = 'http://acme.localhost'
const password = 'correct horse battery'
const SECURITY = '/account/security'

const addressOf = (round: number, n: number) => `user-${round}-${n}@example.com`

/** A tenant whose users add keys, and what its credentials are read with. */
async function prepare(folder: string): Promise<{ key: string; tenantId: string }> {
  await using service = await createIdentityService({ data: folder, allowHttpOnLoopback: true })
  const numbers = Array.from({ length: KILLS * USERS }, (_, i) => i)
  await service.admin.seed({
    tenants: [
      {
        settings: { domain: new URL(issuer).host, allow_hardware: true },
        users: numbers.map((i) => ({
          profile: { email: addressOf(Math.floor(i / USERS), i % USERS), email_verified: true },
          password: { alg: 'plain', hash: password },
        })),
      },
    ],
  })
  const [tenant] = await service.admin.listTenants()
  const { secret: key } = await service.admin.createApiKey({ name: 'test', reach: 'all' })
  return { key, tenantId: tenant?.id ?? '' }
}

function fetchAt({ origin }: Serving): Fetch {
  const connector = buildConnector({})
  const { hostname, port } = new URL(origin)
  const dispatcher = new Agent({
    connect: (options, callback) => connector({ ...options, hostname, port }, callback),
  })
  onTestFinished(() => dispatcher.destroy())
  return (url, init) =>
    undiciFetch(url, { ...(init as object), dispatcher }) as unknown as Promise<Response>
}

test(`killed ${KILLS} times while users add passkeys, the service has no key half, none twice, and loses none that was acknowledged`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { key, tenantId } = await prepare(folder)
  const acknowledged = new Set<string>()

  for (let round = 0; round <= KILLS; round++) {
    const serving = await serveElsewhere(folder)
    onTestFinished(() => serving.kill())
    const fetch = fetchAt(serving)
    await check(fetch, key, tenantId, acknowledged)
    if (round === KILLS) break

    // Everybody is at the form before the first one sends it.
    const ready = await Promise.all(
      Array.from({ length: USERS }, async (_, n) => {
        const email = addressOf(round, n)
        const browser = createBrowser({ url: issuer, fetch })
        await browser.submit(await browser.get(SECURITY), { email, password })
        const form = await browser.get(`${SECURITY}/add`)
        const credential = createVirtualKey().create(optionsOn(form, 'passkey'), issuer)
        const send = () => browser.submitOnly(form, { credential, use: 'passkey' })
        return { email, send }
      }),
    )
    const sent = ready.flatMap(({ email, send }) =>
      [send, send].map(async (submit) => {
        const { html } = await submit()
        if (html.includes('Save your recovery codes')) acknowledged.add(email)
      }),
    )
    const ended = Promise.allSettled(sent)
    await Promise.race([ended, sleep(Math.random() * 80)])
    await serving.kill()
    await ended
  }
})

async function check(
  fetch: Fetch,
  key: string,
  tenantId: string,
  acknowledged: ReadonlySet<string>,
): Promise<void> {
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${issuer}/v1/tenants/${tenantId}/users${path}`, { headers })
    return ((await answer.json()) as { data: { id: string; type: string }[] }).data
  }
  const users = (await read('')) as unknown as { id: string; profile: { email: string } }[]
  for (const { id, profile } of users) {
    const types = (await read(`/${id}/credentials`)).map(({ type }) => type)
    const count = types.filter((type) => type === 'HardwareCredential').length
    expect(count).toBeLessThanOrEqual(1)
    if (acknowledged.has(profile.email)) expect(count).toBe(1)
    if (count === 1) expect(types).toContain('RecoveryCredential')
  }
}
