import { generateKeyPairSync } from 'node:crypto'
import {
  type AuthOptions,
  appleClientSecret,
  createAuthRouter,
  DeniedError,
} from '@latchkey/express'
import { createSessionStore } from '@latchkey/session-store'
import * as telemetry from '@opentelemetry/api'
import { pino } from 'pino'
import { z } from 'zod'

const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const appleKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const store = createSessionStore({ url: process.env.REDIS_URL })
const readOldSession = (_cookie: string) => undefined
const sendMail = async (_to: unknown, _text: string) => undefined
const issuerOf = async (_host: string) => ({
  issuer: 'https://acme.example.com',
  clientId: 'shop',
  clientSecret: 'secret',
})

/** An example of each option, by its name. The page of options quotes them; a test runs them. */
export const examples: Readonly<Record<string, AuthOptions>> = {
  issuer: { issuer: 'https://login.example.com' },
  clientId: { clientId: 'shop' },
  clientSecret: {
    issuer: 'https://appleid.apple.com',
    clientSecret: appleClientSecret({
      clientId: 'com.example.shop',
      teamId: 'ABCDE12345',
      keyId: 'ABC123DEFG',
      privateKey: appleKey,
    }),
  },
  clientAuth: { clientAuth: 'private_key_jwt', clientKey: privateKey },
  clientKey: { clientAuth: 'private_key_jwt', clientKey: privateKey },
  clientAssertion: {
    clientAuth: 'private_key_jwt',
    clientKey: privateKey,
    clientAssertion: { keyId: 'key-2026', audience: 'token_endpoint' },
  },
  profile: { profile: 'fapi2', clientKey: privateKey },
  dpop: { dpop: true },
  discoveryUrl: {
    issuer: 'https://acme.example.com',
    discoveryUrl: 'https://acme.example.com/api/auth/.well-known/openid-configuration',
  },
  metadata: {
    issuer: 'https://acme.eu.auth0.com',
    metadata: { end_session_endpoint: 'https://acme.eu.auth0.com/oidc/logout' },
  },
  baseUrl: { baseUrl: 'https://shop.example.com' },
  entraTenants: {
    issuer: 'https://login.microsoftonline.com/organizations/v2.0',
    entraTenants: ['11111111-2222-3333-4444-555555555555'],
  },
  trustedOrigins: { trustedOrigins: ['https://admin.example.com'] },
  scope: { scope: 'openid profile email offline_access' },
  returnTo: { returnTo: { default: '/dashboard' } },
  silentLogin: { silentLogin: true },
  keepForms: { keepForms: { except: ['cardNumber'] } },
  authorizationParams: { authorizationParams: { audience: 'https://api.example.com' } },
  tokenParams: { tokenParams: { resource: 'https://api.example.com' } },
  logoutParams: { logoutParams: { id_token_hint: false, logout_hint: 'ada@example.com' } },
  pushedAuthorizationRequests: { pushedAuthorizationRequests: true },
  allowedLoginParams: { allowedLoginParams: ['login_hint', 'ui_locales', 'connection'] },
  responseMode: { baseUrl: 'https://shop.example.com', responseMode: 'form_post' },
  routes: { routes: { login: '/auth/login', callback: '/auth/callback', session: false } },
  bearer: { bearer: { audience: 'https://api.example.com' } },
  resources: {
    resources: [{ path: '/mcp', name: 'Notes', scopes: { 'notes:read': 'Read your notes' } }],
  },
  'session.secret': {
    session: {
      secret: [
        'a new secret with at least 32 characters',
        'the secret of last year, 32 characters',
      ],
    },
  },
  'session.store': { session: { store } },
  'session.idleSeconds': { session: { idleSeconds: 8 * 60 * 60 } },
  'session.absoluteSeconds': { session: { absoluteSeconds: 30 * 24 * 60 * 60 } },
  'session.cookie': { session: { cookie: { name: 'shop', sameSite: 'strict' } } },
  'session.keepAnonymousData': { session: { keepAnonymousData: ['cart'] } },
  'session.adopt': { session: { store, adopt: { cookie: 'appSession', read: readOldSession } } },
  userinfo: { userinfo: { everySeconds: 300 } },
  claims: { claims: z.object({ sub: z.string(), email: z.email() }) as never },
  rolesFrom: { rolesFrom: (user) => (user.groups ?? []) as string[] },
  hooks: {
    hooks: {
      afterCallback({ user }) {
        if (!user.email_verified) throw new DeniedError('Please confirm your address first.')
        return undefined
      },
      onNewDevice: ({ user }) => sendMail(user.email, 'A new device has logged in.'),
    },
  },
  allowPrivateIssuers: {
    issuer: ({ url }) => issuerOf(new URL(url).hostname),
    allowPrivateIssuers: true,
  },
  insecureHttpHosts: { issuer: 'http://keycloak:8080', insecureHttpHosts: ['keycloak'] },
  timeoutSeconds: { timeoutSeconds: 3 },
  requestSeconds: { requestSeconds: 6 },
  answerSeconds: { answerSeconds: 20 },
  texts: { texts: { de: { stayLoggedIn: 'Doch nicht' } } },
  logger: { logger: pino({ level: 'warn' }) },
  telemetry: { telemetry },
  fetch: {
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init?.headers, 'user-agent': 'shop' } }),
  },
  now: { now: () => Math.floor(Date.now() / 1000) },
}

/** The application of an example. */
export const routerOf = (name: string) => createAuthRouter(examples[name])
