import assert from 'node:assert/strict'
import { type AuthOptions, createMemoryStore, type SessionStore } from '@latchkey/core'
import type { Response } from 'supertest'
import {
  type Bench,
  type Case,
  cookieOf,
  NO_ADOPTION,
  NO_STORE,
  type Setup,
  type Site,
} from '../bench.ts'

/** The time limit for the functions that hang in these cases. */
export const ANSWER_SECONDS = 1
/**
 * The time limit of a whole request. It is long, because two calls may hang one after the other,
 * and the machine may be busy.
 */
const MOST_MILLISECONDS = 20_000

/** A function that never resolves. */
export function hang(): Promise<never> {
  return new Promise(() => {})
}

/**
 * Options with a function of the application that hangs, and a request that waits for the function.
 */
interface Hanging {
  readonly options?: AuthOptions
  readonly setup?: Partial<Setup>
  send(site: Site): Promise<Response>
  /** The expected status. Default: 503 with `LATCHKEY_ANSWER_LATE`. */
  readonly status?: number
}

const begin = (site: Site): Promise<Response> => site.visitor().open('/login')
const logIn = (site: Site): Promise<Response> => site.visitor().logIn()
const logOut = async (site: Site): Promise<Response> => (await site.user()).post('/logout')

const HANGING: Readonly<Record<string, Hanging>> = {
  'hooks.beforeLogin': { options: { hooks: { beforeLogin: hang } }, send: begin },
  'hooks.afterCallback': { options: { hooks: { afterCallback: hang } }, send: logIn },
  'hooks.onSession': { options: { hooks: { onSession: hang } }, send: logIn },
  'hooks.onNewDevice': { options: { hooks: { onNewDevice: hang } }, send: logIn },
  'hooks.beforeLogout': { options: { hooks: { beforeLogout: hang } }, send: logOut },
  'hooks.onError': {
    options: { hooks: { onError: hang } },
    send: (site) => site.visitor().call('/private'),
    status: 401,
  },
  issuer: { options: { issuer: hang, allowPrivateIssuers: true }, send: begin },
  clientSecret: { options: { clientSecret: hang }, send: logIn },
  claims: {
    options: { claims: { '~standard': { version: 1, vendor: 'a test', validate: hang } } },
    send: logIn,
  },
  'a check': {
    setup: {
      routes: [
        {
          ...{ method: 'get', path: '/checked', requirement: { check: hang } },
          handle: async () => ({ body: 'in' }),
        },
      ],
    },
    send: async (site) => (await site.user()).call('/checked'),
  },
}

/**
 * The hanging reader of old sessions. A separate case tries it, because adoption needs a store
 * on the server.
 */
const ADOPTION: Readonly<Record<string, Hanging>> = {
  'session.adopt.read': {
    options: { session: { adopt: { cookie: 'old', read: hang } } },
    send: (site) => site.request(site.server).get('/private').set('cookie', 'old=session'),
    status: 401,
  },
}

/** The store's methods that a login, a read of its session and a logout call. */
const METHODS = ['get', 'set', 'destroy', 'index.add', 'index.remove', 'once.consume'] as const

/** A store whose given method never resolves after a call of `hang`. */
function hangingStore(method: string): { store: SessionStore; hang(): void } {
  const working = createMemoryStore()
  let hangs = false
  const watch = <T extends object>(target: T, prefix: string): T =>
    new Proxy(target, {
      get(_target, name) {
        const value: unknown = Reflect.get(target, name, target)
        const path = prefix + String(name)
        if (typeof value === 'object' && value !== null) return watch(value, `${path}.`)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) =>
          hangs && path === method ? hang() : Reflect.apply(value, target, given)
      },
    })
  return {
    store: watch(working, ''),
    hang() {
      hangs = true
    },
  }
}

/** Resolves to the response; rejects if it does not arrive in time. */
export async function answerOf(name: string, sent: Promise<Response>): Promise<Response> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${name}: no answer`)), MOST_MILLISECONDS)
  })
  return Promise.race([sent, late]).finally(() => clearTimeout(timer))
}

async function tryAll(
  hanging: Readonly<Record<string, Hanging>>,
  open: Bench['open'],
): Promise<void> {
  const tried = Object.entries(hanging).map(async ([name, { options, setup, send, status }]) => {
    const site = await open({ ...setup, options: { ...options, answerSeconds: ANSWER_SECONDS } })
    const answer = await answerOf(name, send(site))
    assert.equal(answer.status, status ?? 503, `${name}: ${answer.text}`)
    if (!status) assert.match(answer.text, /LATCHKEY_ANSWER_LATE/, name)
    assert.equal(cookieOf(answer), undefined, `${name} sets no session`)
  })
  await Promise.all(tried)
}

export const deadlines: readonly Case[] = [
  [
    'a hook, a reader, a check or another function of the application that never answers ends in 503',
    async ({ open }) => {
      await tryAll(HANGING, open)
    },
  ],
  [
    'an old session whose reader never answers is not adopted',
    async ({ open }) => {
      await tryAll(ADOPTION, open)
    },
    NO_ADOPTION,
  ],
  [
    'each method of a session store that never answers ends in 503',
    async ({ open }) => {
      const tried = METHODS.map(async (name) => {
        const { store, hang: begins } = hangingStore(name)
        const site = await open({ store, options: { answerSeconds: ANSWER_SECONDS } })
        const [ada, visitor] = [await site.user(), site.visitor()]
        const callback = await site.authorize(await visitor.open('/login'))
        begins()
        const answers = [ada.call('/private'), visitor.open(callback), ada.post('/logout')]
        const statuses = await Promise.all(
          answers.map(async (sent) => (await answerOf(name, sent)).status),
        )
        assert.ok(statuses.includes(503), `${name}: ${statuses}`)
      })
      await Promise.all(tried)
    },
    NO_STORE,
  ],
]
