import { type Identity, logIn, startIdentity } from '@latchkey/testing'
import type { Express } from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../src/app.ts'

let identity: Identity
let app: Express
beforeAll(async () => {
  identity = await startIdentity()
  app = createApp(identity.clientOptions())
})
afterAll(() => identity.close())

test('an editor publishes and reviews, an author reviews, and others do neither', async () => {
  const allowed = async (email: string): Promise<number[]> => {
    const browser = await logIn(app, await identity.createUser({ email }))
    const paths = ['/publish', '/review', '/access']
    return Promise.all(paths.map(async (path) => (await browser.get(path)).status))
  }
  expect(await allowed('ada@example.com')).toEqual([200, 200, 200])
  expect(await allowed('grace@example.com')).toEqual([403, 200, 200])
  expect(await allowed('mallory@elsewhere.example')).toEqual([403, 403, 200])
})

test('a user who is refused sees why on a page of the office, a program gets problem details', async () => {
  const browser = await logIn(app, await identity.createUser())
  const person = await browser.get('/publish').set('accept', 'text/html')
  expect(person.status).toBe(403)
  expect(person.text).toContain('The guard refused.')
  const program = await browser.get('/publish').set('accept', 'application/json')
  expect(program.body.code).toBe('LATCHKEY_FORBIDDEN')
})

test('a destructive action requires the password again after a minute, and then continues', async () => {
  const alan = await identity.createUser({ email: 'alan@example.com' })
  const browser = await logIn(app, alan)
  const open = () => browser.get('/delete').set('accept', 'text/html')
  expect((await open()).status).toBe(200)

  identity.clock.advance(61)
  const askedAgain = await open()
  expect(askedAgain.headers.location).toContain('max_age=60')
  const returned = await identity.logIn(browser, askedAgain.headers.location as string, alan)

  expect(returned.headers.location).toBe('/delete')
  expect((await open()).text).toContain('The guard let you in.')
})
