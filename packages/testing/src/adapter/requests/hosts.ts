import assert from 'node:assert/strict'
import { sendRaw } from '../../raw-request.ts'
import { NotTriedError } from '../../suite.ts'
import { BASE_URL, type Case, locationOf, pathOf, portOf } from '../bench.ts'

const HOSTILE: Readonly<Record<string, string>> = {
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-prefix': '/evil',
  'x-forwarded-port': '81',
  forwarded: 'host=evil.example;proto=https',
  'x-original-url': '/evil',
  'x-rewrite-url': '/evil',
  'x-http-method-override': 'POST',
}

/** The host and paths in the hostile headers. They never occur in random text. */
const HOSTILE_TRACE = /evil\.example|(\/|%2F)evil/i

export const hosts: readonly Case[] = [
  [
    'a login begun with a forged Host and forwarding headers returns to baseUrl',
    async ({ open }) => {
      const site = await open()
      const { agent } = site.visitor()
      const answer = await agent.get('/login').set(HOSTILE).set('host', 'evil.example')
      const url = locationOf(answer)
      assert.equal(url.searchParams.get('redirect_uri'), `${BASE_URL}/callback`)
      assert.doesNotMatch(url.href, HOSTILE_TRACE)
      const headers = JSON.stringify(answer.headers)
      assert.doesNotMatch(headers, HOSTILE_TRACE)
      assert.doesNotMatch(headers, /; secure/i)
    },
  ],
  [
    'a login that a guard begins ends on this site, regardless of the Host',
    async ({ open }) => {
      const site = await open()
      const visitor = site.visitor()
      visitor.agent.host('evil.example').set(HOSTILE)
      assert.equal(pathOf(await visitor.logIn('/private?a=1')), '/private?a=1')
      assert.equal((await visitor.open('/private')).text, 'private to ada')
    },
  ],
  [
    'a logout under a hostile Host comes back to baseUrl',
    async ({ open }) => {
      const site = await open()
      const ada = await site.user()
      ada.agent.host('evil.example').set(HOSTILE)
      const answer = await ada.post('/logout')
      const onward = `${answer.headers.location} ${answer.headers.refresh} ${answer.text}`
      assert.match(onward, /localhost%3A3000|^\/ /)
      assert.doesNotMatch(onward, HOSTILE_TRACE)
    },
  ],
  [
    'a page of the kit does not contain the host of the request',
    async ({ open }) => {
      const site = await open()
      const { agent } = site.visitor()
      for (const path of ['/logout', '/callback?state=x&code=y']) {
        const answer = await agent
          .get(path)
          .set({ ...HOSTILE, accept: 'text/html' })
          .set('host', 'evil.example')
        assert.doesNotMatch(JSON.stringify(answer.headers) + answer.text, HOSTILE_TRACE)
      }
    },
  ],
  [
    'a login with a request target in absolute form returns to baseUrl',
    async ({ open }) => {
      const site = await open()
      const { status, text } = await sendRaw(
        portOf(site.server),
        'GET',
        'http://evil.example/login',
        {
          accept: 'text/html',
        },
      )
      if (status === 302) {
        assert.match(text, /redirect_uri=http%3A%2F%2Flocalhost%3A3000%2Fcallback/)
        assert.doesNotMatch(text, HOSTILE_TRACE)
      }
      assert.ok(status < 500)
      if (status !== 302) {
        throw new NotTriedError(`the server answers a target in absolute form with ${status}`)
      }
    },
  ],
]
