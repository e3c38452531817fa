import assert from 'node:assert/strict'
import type { AuthOptions } from '@latchkey/core'
import { BASE_URL, type Bench, type Case, locationOf, pathOf, type Visitor } from '../bench.ts'
import { inEnvironment, openForDeveloper } from './recordings.ts'

const NO_PROVIDER: AuthOptions = {
  issuer: undefined,
  clientId: undefined,
  clientSecret: undefined,
}

export const personas: readonly Case[] = [
  [
    'in development without a provider, one click logs a persona in and leads to the page that was asked for',
    async (bench) => {
      const { site, letIn } = await openWithPersonas(bench)
      const visitor = site.visitor()
      await letIn(visitor)
      const choice = pathOf(await visitor.open('/admin'))
      const page = await visitor.open(choice)
      assert.equal(page.status, 200)
      for (const name of ['Ada Lovelace', 'Bob Kahn', 'Joan Clarke']) {
        assert.ok(page.text.includes(name), `${name} is on the page`)
      }
      const [, query = ''] = /href="(\?[^"]*as=ada)"/.exec(page.text) ?? []
      const clicked = choice.split('?')[0] + query.replaceAll(/&#38;/g, '&')
      const done = await visitor.open(pathOf(await visitor.open(clicked)))
      assert.equal(pathOf(done), '/admin')
      assert.equal((await visitor.open('/admin')).status, 200)
    },
  ],
  [
    'a script logs a persona in with ?as=, only by following redirects',
    async (bench) => {
      const site = await openWithPersonas(bench)
      const bob = await logInAs(site, 'bob')
      assert.equal((await bob.open('/admin')).status, 403)
      const { body } = await bob.call('/session')
      assert.equal(body.user.email, 'bob@example.com')
      assert.deepEqual(body.user.roles, ['viewer'])
    },
  ],
  [
    'the persona with a second factor logs in with it, again and again',
    async (bench) => {
      const site = await openWithPersonas(bench)
      for (let time = 0; time < 4; time++) {
        const joan = await logInAs(site, 'joan')
        assert.match((await joan.open('/amr')).text, /otp|mfa/)
      }
      const ada = await logInAs(site, 'ada')
      assert.doesNotMatch((await ada.open('/amr')).text, /otp|mfa/)
    },
  ],
  [
    'a logout of a persona ends on this site',
    async (bench) => {
      const site = await openWithPersonas(bench)
      const ada = await logInAs(site, 'ada')
      assert.equal(pathOf(await ada.post('/logout')), '/')
      assert.equal((await ada.open('/')).text, 'out')
    },
  ],
  [
    'a persona that does not exist is refused with the nearest one',
    async (bench) => {
      const { site, letIn } = await openWithPersonas(bench)
      const visitor = site.visitor()
      await letIn(visitor)
      const answer = await visitor.open(pathOf(await visitor.open('/login?as=adda')))
      assert.equal(answer.status, 400)
      assert.match(answer.text, /Did you mean &#34;ada&#34;\? There are: ada, bob, joan\./)
    },
  ],
  [
    'personas cannot log in in a browser that has not opened the link in the log',
    async (bench) => {
      const { site } = await openWithPersonas(bench)
      const stranger = site.visitor()
      for (const path of ['/admin', '/login', '/login?as=ada']) {
        const answer = await stranger.open(pathOf(await stranger.open(path)))
        assert.equal(answer.status, 403)
        assert.equal(answer.headers.location, undefined)
        assert.doesNotMatch(answer.text, /Ada/)
      }
    },
  ],
  [
    'in production, under an unknown NODE_ENV and where baseUrl is not this machine, a missing provider is a fault',
    async (bench) => {
      const faults = /"issuer" \(or LATCHKEY_ISSUER\) is not set/
      for (const environment of ['production', 'staging']) {
        await inEnvironment(environment, async () => {
          await assert.rejects(openWithPersonas(bench), faults)
        })
      }
      const baseUrl = 'https://app.example.com'
      await assert.rejects(openWithPersonas(bench, { baseUrl }), faults)
      await assert.rejects(openWithPersonas(bench, { clientId: 'app' }), faults)
    },
  ],
]

type Opened = Awaited<ReturnType<typeof openForDeveloper>>

function openWithPersonas(bench: Bench, options: AuthOptions = {}): Promise<Opened> {
  return openForDeveloper(bench, {
    options: { ...NO_PROVIDER, ...options },
    routes: [
      {
        method: 'get',
        path: '/admin',
        requirement: { roles: ['admin'] },
        handle: async () => ({ body: 'for admins' }),
      },
      {
        method: 'get',
        path: '/amr',
        requirement: {},
        handle: async ({ auth }) => ({ body: JSON.stringify(auth.session?.amr ?? []) }),
      },
    ],
  })
}

async function logInAs(opened: Opened, id: string): Promise<Visitor> {
  const visitor = opened.site.visitor()
  await opened.letIn(visitor)
  const choice = await visitor.open(`/login?as=${id}`)
  assert.equal(locationOf(choice).origin, BASE_URL)
  const chosen = await visitor.open(pathOf(choice))
  const done = await visitor.open(pathOf(chosen))
  assert.equal(pathOf(done), '/')
  return visitor
}
