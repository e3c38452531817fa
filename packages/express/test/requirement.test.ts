import { ConfigError, createAuth } from '@latchkey/core'
import { requireUser } from '@latchkey/express'
import { expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { startSite } from './support/site.ts'

const guard = requireUser as (...given: unknown[]) => unknown

function faultOf(make: () => unknown): string {
  try {
    make()
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'none'
}

test.each<[unknown, string]>([
  [{ role: 'admin' }, '"role" is not an option. It is "roles" here.'],
  [{ checks: () => false }, '"checks" is not an option. Did you mean "check"?'],
  [() => false, '"requirement" must be an object such as { roles: [\'admin\'] }'],
  ['admin', '"requirement" must be an object such as'],
  [['admin'], '"requirement" must be an object such as'],
  [undefined, '"requirement" must be an object such as'],
  [null, '"requirement" must be an object such as'],
  [{ roles: undefined }, '"roles" must be an array of roles'],
  [{ roles: [] }, 'with one role or more, not an empty array.'],
  [{ roles: 'admin' }, '"roles" must be an array of roles'],
  [{ roles: [undefined] }, '"roles" must be an array of roles'],
  [{ roles: { all: [] } }, '"roles" must be an array of roles'],
  [{ roles: { any: ['admin'] } }, '"roles" must be an array of roles'],
  [{ claims: {} }, '"claims" must be an object with one claim or more'],
  [{ claims: { role: undefined } }, '"claims" must be an object with one claim or more'],
  [{ claims: { role: ['admin'] } }, '"claims" must be an object with one claim or more'],
  [{ check: undefined }, '"check" must be a function, not undefined.'],
  [{ check: true }, '"check" must be a function, not true.'],
  [{ acr: [] }, '"acr" must be a string, or an array'],
  [{ acr: '' }, '"acr" must be a string, or an array'],
  [{ maxAge: '60' }, '"maxAge" must be a whole number of seconds'],
  [{ maxAge: undefined }, '"maxAge" must be a whole number of seconds'],
  [{ enforce: 'false', roles: ['a'] }, '"enforce" must be true or false, not this string.'],
  [{ enforce: undefined, roles: ['a'] }, '"enforce" must be true or false, not undefined.'],
  [{ enforce: false }, '"enforce" is false, but there is nothing to rehearse'],
  [{ enforce: false, respond: 'json' }, '"enforce" is false, but there is nothing to rehearse'],
  [{ accept: ['cookie'] }, '"accept" must be ["session", "bearer"], or an array of one of them'],
  [{ accept: 'bearer' }, '"accept" must be ["session", "bearer"]'],
  [{ accept: [] }, '"accept" must be ["session", "bearer"]'],
  [{ scopes: ['notes'] }, '"scopes" are of bearer tokens, which this guard does not accept.'],
  [{ accept: ['bearer'], scopes: [] }, '"scopes" must be an array of one scope or more'],
  [{ accept: ['bearer'], scopes: ['a b'] }, '"scopes" must be an array of one scope or more'],
  [{ accept: ['bearer'], scope: 'notes' }, '"scope" is not an option. It is "scopes" here.'],
  [{ respond: 'xml' }, '"respond" must be "auto", "redirect", "json" or "page", not "xml".'],
])('a guard is not made of what it would ignore: %o', (requirement, sentence) => {
  expect(faultOf(() => guard(requirement))).toContain(sentence)
})

test('all faults of a guard are in one report', () => {
  expect(faultOf(() => guard({ role: 'admin', check: 1 })).split('\n')).toHaveLength(3)
})

test('a guard without a requirement, or with an empty one, asks only for a logged-in user', () => {
  expect(faultOf(() => [requireUser(), requireUser({})])).toBe('none')
})

test('a guard without parentheses is refused at the first request, with what to write', async () => {
  const errors: string[] = []
  await using site = await startSite((app) => {
    app.get('/admin', guard as never, (_req, res) => void res.send('let in'))
    app.use(((error, _req, res, _next) => {
      errors.push(error.message)
      res.status(500).send('refused')
    }) as import('express').ErrorRequestHandler)
  })

  const visit = await createBrowser().open(`${site.url}/admin`)

  expect(visit.text).toBe('refused')
  expect(errors).toEqual([expect.stringContaining('write requireUser()')])
})

test('an adapter that forgets to check a requirement lets nobody in by it', async () => {
  const auth = createAuth({
    issuer: 'https://login.example.com',
    clientId: 'app',
    clientSecret: 'secret',
    baseUrl: 'https://app.example.com',
    session: { secret: 'x'.repeat(32) },
    logger: false,
  })
  const visit = await auth.visit(new Request('https://app.example.com/'), new Headers())

  const refused = await visit.admit({ role: 'admin' } as never)

  expect(refused?.status).toBe(500)
})
