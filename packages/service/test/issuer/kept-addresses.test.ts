import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { startWithFactors } from './support/factors.ts'
import { allStoreKinds } from './support/issuer.ts'
import { ada } from './support/token-endpoint.ts'

const guide = readFileSync(
  new URL('../../../../docs/guides/account-page.md', import.meta.url),
  'utf8',
)

/** The rows of the guide's table of what is kept of a network address. */
const kept = [...guide.matchAll(/^\| (sessions?|audit log|limits?)\s+\| ([^|]+?)\s+\|/gm)].map(
  ([, place, what]) => [place, what],
)

describe.each(allStoreKinds)('on %s', (store) => {
  test('network addresses are stored exactly as the guide says: the visitor’s, never the proxy’s', async () => {
    const { issuer, user, app } = await startWithFactors({ store, trustedProxies: ['127.0.0.0/8'] })
    await using _ = issuer
    const visitor = '203.0.113.77'
    const browser = createBrowser(issuer)
    browser.headers['x-forwarded-for'] = visitor
    const begun = await app.begin({ scope: 'openid offline_access' })
    await browser.submit(await browser.get(begun.url), { ...ada, password: 'wrong' })
    await browser.submit(await browser.get(begun.url), ada)
    await browser.get('/account/sessions')

    expect(kept).toEqual([
      ['session', 'the address of its login'],
      ['audit log', 'the address of each request'],
      ['limits', 'the address, or the first half of one in IPv6'],
    ])
    const sessions = await issuer.protocol.listByAccount(issuer.tenant.id, 'Session', user.id)
    expect(sessions.map(({ payload }) => JSON.parse(payload).address)).toEqual([visitor])
    const entries = (await issuer.audit()).filter(({ action }) => action.startsWith('login.'))
    expect(new Set(entries.map(({ address }) => address))).toEqual(new Set([visitor]))
    expect((await issuer.protocol.attempts(`loginPerClient:${visitor}`))?.count).toBe(1)
    expect((await issuer.dumpProtocol()).includes('127.0.0.1')).toBe(false)
  })
})
