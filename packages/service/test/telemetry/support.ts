import { createIdentityService, type IdentityService } from '@latchkey/service'
import { onTestFinished } from 'vitest'
import type { IdentityServiceOptions } from '../../src/service-options.ts'
import type { Application } from '../../src/store/records.ts'
import { createClient } from '../issuer/support/client.ts'
import type { Fetch } from '../issuer/support/issuer.ts'
import { connectApi } from '../support/api.ts'

/** A user who can log in by password. */
export const ada = { email: 'ada@example.com', password: 'correct horse battery' }

/** The origin of the tenant. */
export const origin = 'https://acme.example'

/** A service with a tenant, an application and a user, in memory unless the options say otherwise. */
export async function startService(options: IdentityServiceOptions = {}) {
  const service = await createIdentityService({ requestsPerSecond: 1_000_000, ...options })
  onTestFinished(() => service.close())
  const tenant = await service.admin.createTenant({ domain: new URL(origin).host })
  const { secret: apiKey } = await service.admin.createApiKey({ name: 'tests', reach: 'all' })
  const api = connectApi(service.fetch, apiKey, tenant.id)
  const redirectUrls = ['https://app.example/callback']
  const { id } = await api.create(api.applications, { redirect_urls: redirectUrls })
  const { secret } = (await api.get(`${api.applications}/${id}`)).body
  const user = await api.create(api.users, { profile: { email: ada.email, email_verified: true } })
  await api.post(`${api.users}/${user.id}/credentials`, {
    password: { alg: 'plain', hash: ada.password },
  })
  const application = { id, redirectUrls } as unknown as Application
  const fetch: Fetch = (url, init) => service.fetch(String(url), init)
  const issuer = { url: origin, fetch, application, secretOf: () => secret as string }
  const app = await createClient(issuer)
  return { service, api, apiKey, tenant, user, issuer, app, secret: secret as string, id }
}

/** Serves metrics; answers with a function that reads them. */
export async function serveMetrics(service: IdentityService) {
  const { address, port } = await service.listenForMetrics()
  const url = `http://${address}:${port}/x/metrics`
  const read = async () => (await fetch(url)).text()
  return { address, url, read }
}

/** The value of a metric with these labels, in the order of the text; `undefined` where there is none. */
export function metricOf(
  text: string,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  for (const line of text.split('\n')) {
    const [, found, inside = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (found !== name) continue
    if (Object.entries(labels).every(([key, wanted]) => inside.includes(`${key}="${wanted}"`))) {
      return Number(value)
    }
  }
  return undefined
}
