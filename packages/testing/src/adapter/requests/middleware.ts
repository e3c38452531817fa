import assert from 'node:assert/strict'
import { type AuthOptions, DeniedError } from '@latchkey/core'
import type { Response } from 'supertest'
import type { TestRoute } from '../application.ts'
import { type Case, cookieOf, cookiesOf, type Setup } from '../bench.ts'

const IN_FRONT: NonNullable<Setup['inFront']> = [
  ['x-request-id', 'r-1'],
  ['vary', 'Accept-Encoding'],
  ['set-cookie', 'seen=1; Path=/'],
  ['set-cookie', 'theme=dark; Path=/'],
]

const denied: TestRoute = {
  method: 'get',
  path: '/denied',
  handle: () => Promise.reject(new DeniedError('unpaid bill')),
}

const onward: TestRoute = {
  method: 'get',
  path: '/own',
  handle: async () => ({ headers: [['set-cookie', 'cart=3; Path=/']], body: 'own' }),
}

/**
 * Asserts that a response has the headers and cookies of {@link IN_FRONT}, and sets no cookie
 * twice.
 */
function assertInFront(answer: Response, what: string): void {
  const names = cookiesOf(answer).map((line) => line.split('=')[0])
  assert.equal(answer.headers['x-request-id'], 'r-1', `${what} has the header`)
  assert.match(String(answer.headers.vary), /accept-encoding/i, `${what} has the Vary`)
  for (const name of ['seen', 'theme']) {
    assert.equal(names.filter((one) => one === name).length, 1, `${what} sets ${name} once`)
  }
  assert.equal(new Set(names).size, names.length, `${what} sets each cookie once: ${names}`)
}

export const middleware: readonly Case[] = [
  [
    'headers and cookies of middleware in front are on the answers of the kit, beside its own',
    async ({ open }) => {
      const site = await open({ inFront: IN_FRONT, routes: [denied] })
      const visitor = site.visitor()
      const begun = await visitor.open('/login')
      assertInFront(begun, 'the way to the login')
      assert.ok(cookiesOf(begun).length > 2, 'the login has a cookie of its own')
      const done = await visitor.open(await site.authorize(begun))
      assertInFront(done, 'the callback')
      assert.ok(cookieOf(done), 'the callback sets the session cookie')
      for (const path of ['/session', '/logout', '/callback?code=x&state=y', '/denied']) {
        assertInFront(await visitor.open(path), path)
      }
      assertInFront(await visitor.post('/logout'), 'the logout')
    },
  ],
  [
    'headers and cookies of middleware in front are on the refusals of guards, beside the login’s',
    async ({ open }) => {
      const site = await open({ inFront: IN_FRONT })
      const visitor = site.visitor()
      assertInFront(await visitor.call('/private'), 'a refusal')
      const begun = await visitor.open('/private')
      assertInFront(begun, 'the way from a guard to the login')
      const done = await visitor.open(await site.authorize(begun))
      assert.ok(cookieOf(done), 'the login that a guard began comes to its end')
    },
  ],
  [
    'headers and cookies of middleware in front are on the answers of handlers, each once',
    async ({ open }) => {
      const site = await open({ inFront: IN_FRONT, routes: [onward] })
      const ada = await site.user()
      assert.match(cookiesOf(await ada.open('/own')).join(), /cart=3/)
      const answer = await ada.open('/private')
      assert.equal(answer.text, 'private to ada')
      assert.equal(answer.headers['x-request-id'], 'r-1')
    },
  ],
  [
    'a refusal of a guard is no error for the application’s error handler',
    async ({ open }) => {
      const seen: unknown[] = []
      const site = await open({
        onError: (error) => {
          seen.push(error)
          return { status: 500, body: 'own error page' }
        },
        routes: [
          {
            ...{ method: 'get', path: '/admin', requirement: { roles: ['admin'] } },
            handle: async () => ({ body: 'admin' }),
          },
        ],
      })
      const ada = await site.user()
      const answers = [
        await site.visitor().call('/private'),
        await site.visitor().open('/private'),
        await ada.open('/admin'),
        await ada.post('/private', {}, { origin: 'https://elsewhere.example' }),
      ]
      assert.deepEqual([answers.map(({ status }) => status), seen], [[401, 302, 403, 403], []])
    },
  ],
  [
    'a check receives the framework’s request object, and onError receives an object with it',
    async ({ open }) => {
      const checked: unknown[] = []
      const handled: unknown[] = []
      const exchanges: unknown[] = []
      const options: AuthOptions = {
        hooks: {
          onError: ({ code }, _request, exchange) => {
            exchanges.push(exchange)
            return new Response(code, { status: 403 })
          },
        },
      }
      const check = (_user: unknown, request: unknown): boolean => {
        checked.push(request)
        return checked.length === 1
      }
      const handle: TestRoute['handle'] = async ({ request }) => {
        handled.push(request)
        return { body: 'checked' }
      }
      const site = await open({
        options,
        routes: [{ method: 'get', path: '/checked', requirement: { check }, handle }],
      })
      const ada = await site.user()
      assert.equal((await ada.open('/checked')).text, 'checked')
      assert.equal((await ada.open('/checked')).text, 'LATCHKEY_FORBIDDEN')
      // Under Jest, Node's own objects are not instances of the `Object` here.
      assert.equal(typeof handled[0], 'object')
      assert.ok(handled[0] && handled[0] === checked[0], 'the check has it')
      const [exchange] = exchanges
      const holds = exchange === checked[1] || Object.values(Object(exchange)).includes(checked[1])
      assert.ok(holds, 'onError has it')
    },
  ],
]
