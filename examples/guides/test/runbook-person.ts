import {
  type Browser,
  createBrowser,
} from '../../../packages/service/test/issuer/support/browser.ts'
import { createClient, logIn } from '../../../packages/service/test/issuer/support/client.ts'
import { connectApi } from '../../../packages/service/test/support/api.ts'
import { overHttp } from '../../../packages/service/test/support/cluster.ts'
import type { Machine } from './runbook-support.ts'

const url = 'https://login.example.com'
const credentials = { email: 'ada@example.com', password: 'correct horse battery' }

/** A user who logs in at an application through the service of a machine. */
export interface Person {
  newBrowser(): Browser
  /** Enters the password, and redeems the code. @throws when the service does not let the person in. */
  logIn(browser: Browser): Promise<void>
  /** Whether the browser gets in without a password. */
  isLoggedIn(browser: Browser): Promise<boolean>
}

/** Makes a user and an application at the only tenant of a machine, over its API. */
export async function createPerson(machine: Machine): Promise<Person> {
  const fetch = overHttp(Number(machine.environment.LATCHKEY_PORT))
  const { id: tenant } = JSON.parse(await machine.service('tenant', 'list', '--json'))[0]
  const key = await machine.service('key', 'create', '--name', 'setup', '--all-tenants')
  const api = connectApi(fetch, key.trim(), tenant)
  const user = await api.create(api.users, {
    profile: { email: credentials.email, email_verified: true },
  })
  await api.create(`${api.users}/${user.id}/credentials`, {
    password: { alg: 'plain', hash: credentials.password },
  })
  const { id } = await api.create(api.applications, {
    name: 'Shop',
    redirect_urls: ['https://shop.example.com/callback'],
  })
  const { secret, redirect_urls } = (await api.get(`${api.applications}/${id}`)).body
  const issuer = { url, fetch: fetch as Parameters<typeof createBrowser>[0]['fetch'] }
  const application = { id, redirectUrls: redirect_urls }
  const client = await createClient({
    ...issuer,
    application: application as Parameters<typeof createClient>[0]['application'],
    secretOf: () => secret,
  })
  return {
    newBrowser: () => createBrowser(issuer),
    async logIn(browser) {
      const { begun, callback } = await logIn(issuer, client, credentials, browser)
      await client.redeem(begun, callback)
    },
    async isLoggedIn(browser) {
      const { url } = await client.begin({ prompt: 'none' })
      return (await browser.get(url)).location?.includes('code=') ?? false
    },
  }
}
