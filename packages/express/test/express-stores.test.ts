import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExpressStore, fromExpressStore, requireUser } from '@latchkey/express'
import { sessionStoreCases } from '@latchkey/testing/session-store'
import expressSession from 'express-session'
import memoryStore from 'memorystore'
import fileStore from 'session-file-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { startSite } from './support/site.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-express-store-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const stores: [string, () => ExpressStore][] = [
  ['memorystore', () => new (memoryStore(expressSession))({ checkPeriod: 60_000 })],
  [
    'session-file-store',
    () =>
      new (fileStore(expressSession))({
        path: folder,
        retries: 1,
        minTimeout: 10,
        reapInterval: -1,
        logFn: () => {},
      }),
  ],
  ['the memory store of express-session', () => new expressSession.MemoryStore()],
]

describe.for(stores)('%s', ([, open]) => {
  const cases = sessionStoreCases().filter(
    ({ ability, name }) =>
      ability === 'sessions' ||
      ability === 'touch' ||
      (ability === 'late writes' && !name.includes('index') && !name.includes('begun')) ||
      /seen|says so/.test(name),
  )

  test.for(cases)('$ability: $name', async ({ run }) => {
    const store = fromExpressStore(open())
    await run(() => store)
  })

  test('a user logs in, is counted and logs out', async () => {
    await using site = await startSite(
      (app) => {
        app.get('/count', requireUser(), (req, res) => {
          const data = req.session as unknown as { count?: number }
          data.count = (data.count ?? 0) + 1
          res.send(`${req.auth.user?.sub} ${data.count}`)
        })
      },
      { session: { store: open() } },
    )
    const browser = createBrowser()

    expect((await browser.open(`${site.url}/count`)).text).toBe('ada 1')
    expect((await browser.open(`${site.url}/count`)).text).toBe('ada 2')
    const copy = createBrowser()
    for (const [name, cookie] of browser.cookies) copy.cookies.set(name, { ...cookie })
    await browser.send(`${site.url}/logout`, { method: 'POST', headers: { origin: site.url } })

    const after = await copy.send(`${site.url}/count`)
    expect(after.status).toBe(401)
  })
})
