import { afterEach, describe, expect, test, vi } from 'vitest'
import { type StoreName, stores } from '../support/api.ts'
import { type ConsoleService, sendForm, startConsoleOn, textOf } from './support.ts'

afterEach(() => {
  vi.useRealTimers()
})

async function withTenant({ service }: ConsoleService) {
  const tenant = await service.admin.createTenant({ domain: 'acme.example' })
  const published = async (): Promise<string[]> => {
    const response = await service.fetch('https://acme.example/oidc/jwks')
    const { keys } = (await response.json()) as { keys: { kid: string; alg: string }[] }
    return keys.filter(({ alg }) => alg === 'RS256').map(({ kid }) => kid)
  }
  return { page: `/console/t/${tenant.id}/signing-keys`, published, tenant }
}

describe.each(stores.filter((one): one is Exclude<StoreName, 'cluster'> => one !== 'cluster'))(
  'signing keys in the console, on %s',
  (store) => {
    test('a rotated key signs, and the earlier one stays published', async () => {
      await using running = await startConsoleOn(store)
      const { page, published, tenant } = await withTenant(running)
      const ada = await running.logIn({ role: 'admin' })
      expect((await ada.get(page)).html).toContain('No key yet.')
      const [first] = await published()
      expect(textOf((await ada.get(page)).html)).toMatch(new RegExp(`${first}\\s*signs`))
      const rotated = await sendForm(ada, `${page}/rotate`, {}, `${page}/rotate`)
      expect(rotated.location).toBe(`${page}?done=rotated`)
      const [second, ...earlier] = await published()
      expect(earlier).toEqual([first])
      const { html } = await ada.get(page)
      expect(textOf(html)).toMatch(new RegExp(`${second}\\s*signs[^]*${first}\\s*published`))
      expect(html).not.toContain('sealed')
      const audit = await running.service.admin.audit({ tenantId: tenant.id, limit: 1 })
      const action = { action: 'signing_key.create', actor: `operator:${ada.id}` }
      expect(audit).toMatchObject([action])
    })

    test('earlier keys are withdrawn only after a new login', async () => {
      vi.useFakeTimers({ toFake: ['Date'] })
      await using running = await startConsoleOn(store)
      const { page, published } = await withTenant(running)
      const [first] = await published()
      const ada = await running.logIn({ role: 'admin' })
      vi.setSystemTime(Date.now() + 6 * 60_000)
      const asked = await sendForm(
        ada,
        `${page}/withdraw`,
        {},
        page.replace('signing-keys', 'settings'),
      )
      expect(asked.location).toContain('/console/confirm?to=')
      expect(await published()).toEqual([first])
      await ada.submit(await ada.get(asked.location ?? ''), { password: 'correct horse battery' })
      const done = await sendForm(
        ada,
        `${page}/withdraw`,
        { typed: 'acme.example' },
        `${page}/withdraw`,
      )
      expect(done.location).toBe(`${page}?done=keys-withdrawn`)
      const left = await published()
      expect(left).toHaveLength(1)
      expect(left).not.toEqual([first])
    })
  },
)
