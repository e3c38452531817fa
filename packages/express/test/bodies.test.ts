import { once } from 'node:events'
import { connect } from 'node:net'
import type { LatchkeyError } from '@latchkey/express'
import express from 'express'
import { expect, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { startSite } from './support/site.ts'

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

test.each([
  ['an object that cannot be a text', 'application/json', '{"state":{"toString":1}}'],
  ['a token that is an object', 'application/json', '{"logout_token":{"toString":1}}'],
  ['lists in lists', 'application/json', `{"state":${deep(20_000)},"logout_token":${deep(9)}}`],
  ['a list', 'application/json', '[1,2,3]'],
  ['a prototype', 'application/json', '{"__proto__":{"state":"x","logout_token":"y"}}'],
  ['null and numbers', 'application/json', '{"state":null,"code":7,"logout_token":false}'],
  ['names with brackets', 'application/x-www-form-urlencoded', 'state[toString]=1&state[a]=b'],
  ['names of methods', 'application/x-www-form-urlencoded', 'logout_token[toString]=1&iss[x][y]=z'],
])('a body parser that makes %s of a form causes no server error', async (_what, type, body) => {
  await using site = await startSite(undefined, {}, (app) => {
    app.use(express.json(), express.urlencoded({ extended: true }))
  })

  for (const path of ['/callback', '/backchannel-logout', '/logout']) {
    const browser = createBrowser()
    const init = { method: 'POST', headers: { 'content-type': type }, body }
    const response = await browser.send(site.url + path, init)

    expect(response.status, path).toBeLessThan(500)
    expect(response.headers.getSetCookie().join()).not.toContain('latchkey=s')
  }
})

test('a body that a parser read and discarded is reported as such, and not as an invalid token', async () => {
  const answered: LatchkeyError[] = []
  await using site = await startSite(
    undefined,
    { hooks: { onError: (error) => void answered.push(error) as undefined } },
    (app) => {
      app.use((req, _res, next) => {
        req.resume().once('end', () => next())
      })
    },
  )
  const body = `logout_token=${site.provider.logoutToken({ sub: 'ada' })}`

  await createBrowser().send(`${site.url}/backchannel-logout`, { method: 'POST', body })

  expect(answered).toMatchObject([
    { code: 'LATCHKEY_REQUEST_INVALID', message: expect.stringContaining('was read before') },
  ])
  expect(site.log[0]?.facts.code).toBe('LATCHKEY_REQUEST_INVALID')
})

test('a visitor who disconnects while sending a form causes no error of the application', async () => {
  const answered: LatchkeyError[] = []
  const unanswered: unknown[] = []
  await using site = await startSite(
    (app) => {
      app.use(((error, _req, res, _next) => {
        unanswered.push(error)
        res.end()
      }) as import('express').ErrorRequestHandler)
    },
    { hooks: { onError: (error) => void answered.push(error) as undefined } },
  )
  const socket = connect(Number(new URL(site.url).port), '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')

  socket.write('POST /callback HTTP/1.1\r\nhost: app\r\ncontent-length: 100\r\n\r\nstate=')
  setTimeout(() => socket.destroy(), 50)

  await expect.poll(() => answered.length + unanswered.length).toBe(1)
  expect(answered).toMatchObject([{ code: 'LATCHKEY_REQUEST_INVALID' }])
})
