import { vi } from 'vitest'
import type { Application } from '../../../src/store/records.ts'
import { createClient, logIn } from './client.ts'
import type { TestIssuer } from './issuer.ts'

/** Who logs in. */
export const ada = { email: 'ada@example.com', password: 'correct horse battery' }

/** Moves the time ahead. Whoever calls it goes back to real time after the test. */
export function moveTime(seconds: number): void {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: now + seconds * 1000 })
}

/** What a token or revocation endpoint answered. */
export interface TokenAnswer {
  status: number
  body: Record<string, string>
}

/** Asks the token or revocation endpoint for something, as the application. */
export async function post(
  issuer: TestIssuer,
  application: Application,
  endpoint: 'token' | 'revoke',
  form: Record<string, string>,
  headers: Record<string, string> = {},
  body = new URLSearchParams(form).toString(),
): Promise<TokenAnswer> {
  const secret = issuer.secretOf(application)
  const basic = Buffer.from(`${application.id}:${encodeURIComponent(secret)}`).toString('base64')
  const answer = await issuer.fetch(`${issuer.url}/oidc/${endpoint}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${basic}`,
      ...headers,
    },
    body,
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
}

/** A login up to the code, which is not redeemed yet. */
export async function obtainCode(issuer: TestIssuer, parameters: Record<string, string> = {}) {
  const app = await createClient(issuer)
  const { begun, callback, browser } = await logIn(issuer, app, ada, undefined, parameters)
  const code = new URL(callback.location ?? '').searchParams.get('code') ?? ''
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: app.redirectUri,
    code_verifier: begun.checks.pkceCodeVerifier,
  }
  return { app, code, form, browser, begun, callback }
}
