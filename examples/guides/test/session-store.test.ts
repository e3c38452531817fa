import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthRouter, requireUser } from '@latchkey/express'
import { sessionStoreCases } from '@latchkey/testing/session-store'
import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBrowser } from '../../../packages/express/test/support/browser.ts'
import { createSqliteStore } from '../src/session-store.ts'
import { start } from './support.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-store-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the store of the guide', { concurrent: true }, () => {
  test.for(sessionStoreCases())('$ability: $name', async ({ run }) => {
    const stores = [0, 1].map(() => createSqliteStore(join(folder, 'cases.db')))
    let turn = 0
    await run(() => stores[turn++ % 2] as (typeof stores)[0])
  })
})

test('a login on the store of the guide is there after a restart', async () => {
  const store = () => createSqliteStore(join(folder, 'site.db'))
  const app = (settings: object) => {
    const { session } = settings as { session: object }
    return express()
      .use(createAuthRouter({ ...settings, session: { ...session, store: store() } }))
      .get('/', requireUser(), (req, res) => void res.send(`Hello ${req.auth.user?.sub}`))
  }
  let settings: object = {}
  const first = await start((given) => {
    settings = given
    return app(given)
  })
  const browser = createBrowser()
  expect((await browser.open(first.url)).text).toMatch(/^Hello /)

  const again = app(settings).listen(0, '127.0.0.1')
  await once(again, 'listening')
  const { port } = again.address() as AddressInfo
  const [cookie] = [...browser.cookies].filter(([name]) => name.endsWith(' latchkey'))
  const headers = { cookie: `latchkey=${cookie?.[1].value}` }
  expect(await (await fetch(`http://127.0.0.1:${port}/`, { headers })).text()).toMatch(/^Hello /)

  again.close()
  again.closeAllConnections()
  await first.close()
})
