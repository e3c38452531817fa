import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMemoryStore } from '@latchkey/core'
import { type AuthRouter, createAuthRouter } from '@latchkey/express'
import { startMisbehavingProvider } from '@latchkey/testing/misbehaving-provider'
import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'

const old = 'the old secret, of 32 characters or more'
const fresh = 'the new secret, of 32 characters or more'

/** The values of `session.secret` of two processes that run at the same time. */
type Pair = readonly [readonly string[], readonly string[]]

const first: Pair = [[old], [old, fresh]]
const second: Pair = [
  [old, fresh],
  [fresh, old],
]
const third: Pair = [[fresh, old], [fresh]]

/** Two processes with one store. Each request goes to one of them. */
async function startProcesses() {
  const provider = await startMisbehavingProvider()
  const store = createMemoryStore()
  const app = express()
  let current: AuthRouter | undefined
  app.use((req, res, next) => current?.(req, res, next))
  app.get('/', (req, res) => res.send(req.auth.isAuthenticated ? 'logged in' : 'logged out'))
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { issuer, clientId, clientSecret } = provider
  const routerWith = (secret: readonly string[]): AuthRouter =>
    createAuthRouter({
      ...{ issuer, clientId, clientSecret, baseUrl: url, logger: false },
      session: { secret, store },
    })

  return {
    /** Begins a login at one process, finishes it at another, and opens a page at both. */
    async logIn([begin, finish]: Pair): Promise<{ status: number; pages: string[] }> {
      const routers = [routerWith(begin), routerWith(finish)] as const
      const browser = createBrowser()
      current = routers[0]
      const away = await browser.open(`${url}/login`, ({ pathname }) => pathname === '/callback')
      current = routers[1]
      const { status } = (await browser.open(away.url.href)).response
      const pages: string[] = []
      for (const router of routers) {
        current = router
        pages.push((await browser.open(url)).text)
      }
      return { status, pages }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await provider.close()
    },
  }
}

let processes: Awaited<ReturnType<typeof startProcesses>>
beforeAll(async () => {
  processes = await startProcesses()
})
afterAll(() => processes.close())

const otherWayRound = ([one, other]: Pair): Pair => [other, one]

describe('a secret that is changed by the steps of the guide', () => {
  test.each([
    ['[old] and [old, new]', first],
    ['[old, new] and [new, old]', second],
  ])('finishes logins and keeps users logged in between processes with %s', async (_, pair) => {
    for (const one of [pair, otherWayRound(pair)]) {
      expect(await processes.logIn(one)).toEqual({ status: 200, pages: ['logged in', 'logged in'] })
    }
  })

  test('keeps the users logged in whose session began with the new secret, when the old one is removed', async () => {
    expect(await processes.logIn(third)).toEqual({
      status: 200,
      pages: ['logged in', 'logged in'],
    })
  })
})

test('a new secret that is first in the list at once is unknown to the processes with the old one', async () => {
  expect(await processes.logIn([[fresh, old], [old]])).toMatchObject({ status: 400 })
  expect(await processes.logIn([[old], [fresh, old]])).toEqual({
    status: 200,
    pages: ['logged out', 'logged in'],
  })
})
