import { createHash, randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { createIdentityService } from '../src/service.ts'
import { createBrowser, type Page } from './issuer/support/browser.ts'
import { mountSmallDisk } from './support/small-disk.ts'

const issuer = 'https://login.example.com'
const ada = { email: 'ada@example.com', password: 'correct horse battery' }

test('on a full disk the API, the issuer and /x/ready answer 503; when there is space again all work, and nothing is lost', async ({
  skip,
}) => {
  const disk = mountSmallDisk(24)
  if ('reason' in disk) return skip(disk.reason)
  onTestFinished(() => disk.remove())
  await using service = await createIdentityService({
    data: disk.folder,
    requestsPerSecond: 1e6,
    closeSeconds: 1,
  })
  const { fetch, admin } = service
  await admin.seed({
    tenants: [
      {
        settings: { domain: new URL(issuer).host },
        applications: [{ name: 'Shop', redirect_urls: ['https://shop.example.com/callback'] }],
        users: [
          {
            profile: { email: ada.email, email_verified: true },
            password: { alg: 'plain', hash: ada.password },
          },
        ],
      },
    ],
  })
  const [tenant] = await admin.listTenants()
  const { secret } = await admin.createApiKey({ name: 'drill', reach: 'all' })
  const authorization = `Bearer ${secret}`
  const api = `https://api.example.com/v1/tenants/${tenant?.id}`
  const { data } = (await (
    await fetch(`${api}/applications`, { headers: { authorization } })
  ).json()) as { data: [{ id: string }] }

  const probe = async (path: 'ready' | 'health') =>
    (await fetch(`https://api.example.com/x/${path}`)).status
  const acknowledged: string[] = []
  async function createUser(n: number): Promise<Response> {
    const body = {
      profile: { email: `user-${n}@example.com` },
      metadata: { text: 'x'.repeat(1_000) },
    }
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await fetch(`${api}/users`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (answer.status === 200)
      acknowledged.push(((await answer.clone().json()) as { id: string }).id)
    return answer
  }
  const browser = createBrowser({ url: issuer, fetch })
  const begin = () => {
    const challenge = createHash('sha256').update(randomBytes(32)).digest('base64url')
    const query = new URLSearchParams({
      client_id: data[0].id,
      response_type: 'code',
      redirect_uri: 'https://shop.example.com/callback',
      scope: 'openid',
      state: 'x'.repeat(1_000),
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    return browser.peek(`${issuer}/oidc/auth?${query}`)
  }
  const open = async (begun: Page) => browser.get(begun.location ?? '')

  expect(await probe('ready')).toBe(200)
  expect((await createUser(0)).status).toBe(200)
  const form = await open(await begin())

  disk.fill()
  // The log of a database may have room left, in which writes succeed.
  let refused: Response | undefined
  for (let n = 1; n < 20_000 && refused?.status !== 503; n++) refused = await createUser(n)
  expect(refused?.status).toBe(503)
  expect(await refused?.json()).toMatchObject({ code: 'unavailable' })
  expect(refused?.headers.get('retry-after')).toBe('5')
  let begun: Page | undefined
  for (let n = 0; n < 20_000 && begun?.status !== 503; n++) begun = await begin()
  expect(begun?.status).toBe(503)
  expect(begun?.headers.get('retry-after')).toBe('5')
  expect(begun?.html).toContain('Please try again in a moment')
  expect((await browser.submitOnly(form, ada)).status).toBe(503)
  await expect.poll(() => probe('ready')).toBe(503)
  expect(await probe('health')).toBe(200)
  const list = await fetch(`${api}/users?limit=1`, { headers: { authorization } })
  expect(await list.json()).toMatchObject({ total: acknowledged.length + 1 })

  disk.free()
  await expect.poll(() => probe('ready')).toBe(200)
  expect((await createUser(30_000)).status).toBe(200)
  expect((await browser.submit(form, ada)).location).toContain('code=')
  for (const id of acknowledged) {
    const found = await fetch(`${api}/users/${id}`, { headers: { authorization } })
    expect(found.status).toBe(200)
  }
})
