import { expect, test } from 'vitest'
import { consoleRoutes } from '../../src/console/routes/index.ts'
import { fillConsole } from './gallery-data.ts'
import { CONSOLE, startConsole } from './support.ts'

test('every route of the console refuses an operator who is disabled or removed, and one whose session has ended', async () => {
  await using running = await startConsole()
  const { admin } = running.service
  const ids = await fillConsole(running.service)
  const owner = await running.logIn({ role: 'owner' })
  const disabled = await running.logIn({ role: 'owner' })
  const removed = await running.logIn({ role: 'owner' })
  const gone = await running.logIn({ role: 'owner' })
  const csrfOf = async (browser: typeof owner) =>
    /name="csrf" value="([^"]+)"/.exec((await browser.get('/console/operators')).html)?.[1] ?? ''
  const visitors = await Promise.all(
    [disabled, removed, gone].map(async (browser) => ({
      csrf: await csrfOf(browser),
      // A copy of the cookie, which no answer can take away.
      cookie: browser
        .cookies()
        .filter(({ name }) => name.includes('latchkey-console'))
        .map(({ name, value }) => `${name}=${value}`)
        .join('; '),
    })),
  )
  await owner.send(`/console/operators/${disabled.id}/disable`, {
    method: 'POST',
    body: new URLSearchParams({ csrf: await csrfOf(owner) }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  await admin.removeOperator(removed.id)
  const out = await gone.send('/console/logout', { method: 'POST' })
  await gone.get(out.location ?? '')
  const before = await changes()

  for (const { method, path } of consoleRoutes) {
    const at = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? 'none')
    for (const { cookie, csrf } of visitors) {
      expect(csrf).not.toBe('')
      const answer = await running.service.fetch(CONSOLE + at, {
        method,
        redirect: 'manual',
        headers: {
          ...{ cookie, accept: 'text/html', 'sec-fetch-site': 'same-origin' },
          ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(method === 'POST' && { body: new URLSearchParams({ csrf }).toString() }),
      })
      const isRefused = [302, 303, 401, 403].includes(answer.status)
      expect(`${method} ${path} ${isRefused || answer.status}`).toBe(`${method} ${path} true`)
      expect(await answer.text()).not.toContain('Log out')
    }
  }
  expect(await changes()).toBe(before)

  async function changes(): Promise<number> {
    const entries = await admin.audit({ limit: 1_000 })
    return entries.filter(({ outcome }) => outcome === 'success').length
  }
})
