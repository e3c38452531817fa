import { type Browser, createBrowser } from '../issuer/support/browser.ts'
import type { ConsoleService } from './support.ts'

/** The password of every user of the tests. */
export const PASSWORD = 'correct horse battery'

/** A tenant of a service with a console, with its API. */
export async function aTenant(
  { service }: ConsoleService,
  settings: object = {},
  domain = 'acme.example',
) {
  const tenant = await service.admin.createTenant({ domain, settings })
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: 'all' })

  async function call(method: string, path: string, body?: unknown) {
    const answer = await service.fetch(`https://api.example${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
  }
  const users = `/v1/tenants/${tenant.id}/users`
  return {
    id: tenant.id,
    domain,
    call,
    /** The path of the tenant in the console. */
    path: `/console/t/${tenant.id}`,
    /** Creates a user, with a password unless `password` is empty. */
    async addUser(
      profile: object = {},
      password = PASSWORD,
    ): Promise<{ id: string; email: string }> {
      const given = { email: 'ada@example.com', email_verified: true, ...profile }
      const { body } = await call('POST', users, { profile: given })
      if (password !== '') {
        await call('POST', `${users}/${body.id}/credentials`, {
          password: { alg: 'plain', hash: password },
        })
      }
      return { id: body.id, email: given.email }
    },
    /** Creates users without a way to log in, at once; answers with their ids. */
    async addUsers(count: number): Promise<string[]> {
      const emails = Array.from({ length: count }, (_, i) => `u${i}@example.com`)
      const seeded = emails.map((email) => ({ profile: { email } }))
      await service.admin.seed({ tenants: [{ settings: { domain }, users: seeded }] })
      const { body } = await call('GET', users)
      return body.data.map(({ id }: { id: string }) => id)
    },
    /** Logs a user in at the account page, in a browser of its own. */
    async logIn(email: string, password = PASSWORD): Promise<Browser> {
      const url = `https://${domain}`
      const browser = createBrowser({ url, fetch: service.fetch as never })
      browser.headers['user-agent'] =
        'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
      const form = await browser.get('/account')
      await browser.submit(form, { email, password })
      return browser
    },
  }
}
