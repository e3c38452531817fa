import { createMemoryStore, type SessionStore } from '@latchkey/core'
import type { Express, Request } from 'express'
import { describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { pausing } from './support/pausing.ts'
import { startSite } from './support/site.ts'
import { openStore, STORES } from './support/stores.ts'

const renewals = {
  'renewSession()': (req: Request) => req.auth.renewSession(),
  'regenerate()': (req: Request) =>
    new Promise<void>((resolve, reject) => {
      req.session.regenerate((error) => (error ? reject(error) : resolve()))
    }),
} as const

/** Only a change that is saved after `regenerate()` is kept, so the order decides. */
const kept = {
  'renewSession()': { theme: 'dark', sub: 'ada' },
  'regenerate()': { sub: 'ada' },
} as const

type Renewal = keyof typeof renewals

const save = (req: Request): Promise<void> => {
  Object.assign(req.session, { theme: 'dark' })
  return new Promise((resolve, reject) => {
    req.session.save((error) => (error ? reject(error) : resolve()))
  })
}

/**
 * Renews a session and saves its data in one request. Resolves to what the next request sees, which
 * is sent after `between`.
 */
async function renewAndSave(
  store: SessionStore | 'cookie',
  both: (req: Request) => Promise<unknown>,
  between: () => Promise<unknown> = async () => {},
): Promise<unknown> {
  await using site = await startSite(
    (app: Express) => {
      app.get('/both', async (req, res) => {
        await both(req)
        res.send('both')
      })
      app.get('/', (req, res) => {
        res.json({ ...req.session, cookie: undefined, sub: req.auth.user?.sub })
      })
    },
    { session: { store } },
  )
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)
  expect((await browser.open(`${site.url}/both`)).text).toBe('both')
  await between()
  return JSON.parse((await browser.open(site.url)).text)
}

describe.each(Object.keys(renewals) as Renewal[])('%s', (how) => {
  test.each<[where: string, open: () => SessionStore | 'cookie']>([
    ['in the memory of the process', createMemoryStore],
    ['in the cookie', () => 'cookie'],
  ])('a change that is saved while the session is renewed is kept, %s', async (_where, open) => {
    for (let turns = 0; turns < 40; turns++) {
      const seen = await renewAndSave(open(), async (req) => {
        const renewed = renewals[how](req)
        for (let turn = 0; turn < turns; turn++) await undefined
        await Promise.all([renewed, save(req)])
      })
      expect(seen, `after ${turns} turns`).toMatchObject(kept[how])
    }
  })

  // Each method of the store is where the save begins.
  describe.each(STORES)('on the store %s', (name) => {
    test.each([
      ['reads', 'get', 1],
      ['stores', 'set', 1],
      ['reads what it stored', 'get', 2],
      ['destroys', 'destroy', 1],
    ] as const)(
      'a change that is saved when the renewal %s the session is kept',
      async (_what, method, calls) => {
        const { store, close } = await openStore(name)
        const paused = pausing(store)
        const seen = await renewAndSave(paused.store, async (req) => {
          let saved: Promise<void> | undefined
          paused.before(method, calls, async () => {
            saved = save(req)
          })
          await renewals[how](req)
          await saved
        })
        expect(seen).toMatchObject(kept[how])
        await close()
      },
    )
  })
})

test('data that are still being saved when regenerate() begins are not in the new session', async () => {
  const paused = pausing(createMemoryStore())
  const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let saved: Promise<void> | undefined
  const seen = await renewAndSave(
    paused.store,
    async (req) => {
      paused.before('update', 1, () => {
        begun.resolve()
        return answered.promise
      })
      saved = save(req)
      await begun.promise
      await renewals['regenerate()'](req)
      Object.assign(req.session, { language: 'de' })
      await new Promise((resolve) => void req.session.save(resolve))
    },
    async () => {
      answered.resolve()
      await saved
    },
  )
  expect(seen).toEqual({ language: 'de', sub: 'ada' })
})

test.each<[where: string, open: () => SessionStore | 'cookie']>([
  ['in the memory of the process', createMemoryStore],
  ['in the cookie', () => 'cookie'],
])(
  'a session that its request destroys while it gets a new id stays ended, %s',
  async (_where, open) => {
    for (let turns = 0; turns < 40; turns++) {
      const seen = await renewAndSave(open(), async (req) => {
        const renewed = req.auth.renewSession().catch(() => {})
        for (let turn = 0; turn < turns; turn++) await undefined
        const ended = new Promise<void>((resolve, reject) => {
          req.session.destroy((error) => (error ? reject(error) : resolve()))
        })
        await Promise.all([renewed, ended])
      })
      expect(seen, `after ${turns} turns`).not.toHaveProperty('sub')
    }
  },
)

test('a session without a refresh token that is renewed twice at the same time stays one session', async () => {
  await using site = await startSite((app: Express) => {
    app.get('/twice', async (req, res) => {
      await Promise.all(['', ''].map(() => req.auth.renewSession()))
      res.send('renewed')
    })
    app.get('/', (req, res) => void res.send(String(req.auth.user?.sub)))
  })
  site.provider.rewrite = (answer, json) =>
    answer === 'code' ? JSON.stringify({ ...JSON.parse(json), refresh_token: undefined }) : json
  const browser = createBrowser()
  await browser.open(`${site.url}/login`)

  expect((await browser.open(`${site.url}/twice`)).text).toBe('renewed')

  expect((await browser.open(site.url)).text).toBe('ada')
  expect(await site.router.sessions.list('ada')).toHaveLength(1)
})

describe.each(STORES)('on the store %s', (name) => {
  test.each([
    ['stores', 'set'],
    ['destroys', 'destroy'],
  ] as const)(
    'a user who is read again when the renewal %s the session is kept',
    async (_what, method) => {
      const { store, close } = await openStore(name)
      const paused = pausing(store)
      await using site = await startSite(
        (app: Express) => {
          app.get('/both', async (req, res) => {
            let read: Promise<unknown> | undefined
            paused.before(method, 1, async () => {
              read = req.auth.refreshUser()
              // Long enough for the provider to answer.
              await new Promise((resolve) => setTimeout(resolve, 100))
            })
            await req.auth.renewSession()
            await read
            res.send('both')
          })
          app.get('/', (req, res) => void res.send(String(req.auth.user?.name)))
        },
        { session: { store: paused.store } },
      )
      const browser = createBrowser()
      await browser.open(`${site.url}/login`)
      site.provider.user = { sub: 'ada', name: 'Ada Lovelace' }

      expect((await browser.open(`${site.url}/both`)).text).toBe('both')
      expect((await browser.open(site.url)).text).toBe('Ada Lovelace')
      await close()
    },
  )
})
