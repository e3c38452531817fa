import { expect, test } from 'vitest'
import { formName } from '../../src/console/gate/form-names.ts'
import { consoleRoutes } from '../../src/console/routes/index.ts'
import { press, startConsole, textOf } from './support.ts'
import { aTenant } from './tenant.ts'

test('every form that is kept over a new login has a name in words', () => {
  const kept = consoleRoutes.filter(
    ({ method, isDangerous }) => method === 'POST' && isDangerous !== false,
  )
  expect(kept.map(({ path }) => path).filter((path) => formName(path) === undefined)).toEqual([])
})

test('a kept form is named in words, not by its path', async () => {
  let ahead = 0
  const running = await startConsole({ clock: { now: () => Date.now() + ahead } })
  await using _ = running
  const tenant = await aTenant(running)
  const ada = await tenant.addUser({ email_verified: false })
  const operator = await running.logIn({ role: 'admin' })
  const page = await operator.get(`${tenant.path}/users/${ada.id}`)
  ahead = 6 * 60_000
  const sent = await press(operator, page, `${tenant.path}/users/${ada.id}/verify`)
  const kept = await operator.get(sent.headers.get('location') ?? '')
  expect(textOf(kept.html)).toContain('Mark the address of a user as verified')
  expect(textOf(kept.html)).not.toContain('/console/t/')
})

test('the target of an audit entry is found by an address and a name, too', async () => {
  const running = await startConsole()
  await using _ = running
  const tenant = await aTenant(running)
  await tenant.addUser({ name: 'Ada Lovelace' })
  await tenant.addUser({ email: 'grace@example.com', name: 'Grace Hopper' })
  const operator = await running.logIn({ role: 'viewer' })
  for (const target of ['ada@example.com', 'Ada Lovelace', 'ada love']) {
    const { html } = await operator.get(`${tenant.path}/audit?${new URLSearchParams({ target })}`)
    expect(html).toContain('user.create')
    expect(html).not.toContain('grace@example.com')
  }
  const everywhere = await operator.get(
    `/console/audit?${new URLSearchParams({ target: operator.email })}`,
  )
  expect(everywhere.html).toContain('operator.invite')
  const none = await operator.get(`${tenant.path}/audit?target=nobody%40example.com`)
  expect(none.html).toContain('Nothing was found')
})

test('every link in the audit log of the whole service leads to a page', async () => {
  const running = await startConsole()
  await using _ = running
  const tenant = await aTenant(running)
  await tenant.addUser()
  const owner = await running.logIn({ role: 'owner' })
  const { html } = await owner.get('/console/audit')
  const ids = [...html.matchAll(/href="(\/console\/audit\/\d+)"/g)].map(([, href]) => href ?? '')
  const pages = await Promise.all(ids.map((href) => owner.get(href)))
  const links = [html, ...pages.map((page) => page.html)].flatMap((page) =>
    [...page.matchAll(/href="(\/console[^"]*)"/g)].map(([, href]) =>
      (href ?? '').replaceAll('&amp;', '&'),
    ),
  )
  const missing = []
  for (const href of new Set(links)) {
    if ((await owner.get(href)).status === 404) missing.push(href)
  }
  expect(missing).toEqual([])
})
