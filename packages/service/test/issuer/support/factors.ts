import { Secret, TOTP } from 'otpauth'
import {
  mailCredential,
  renewRecoveryCodes,
  totpCredential,
} from '../../../src/domain/factors/factors.ts'
import { newSeed } from '../../../src/domain/factors/totp.ts'
import { addCredential } from '../../../src/domain/ways/account-changes.ts'
import type { Scope } from '../../../src/domain/writes/context.ts'
import type { User } from '../../../src/store/records.ts'
import type { Page } from './browser.ts'
import { createClient } from './client.ts'
import { instantPasswords } from './instant-passwords.ts'
import { type StartOptions, startIssuer, type TestIssuer } from './issuer.ts'
import { ada } from './token-endpoint.ts'

/** What REFEDS calls a login by two factors. */
export const MFA = 'https://refeds.org/profile/mfa'

/** A second step of which the second is weaker than a factor. */
export const TWO_STEP = 'urn:latchkey:acr:two-step'

/** The settings of a tenant that has every second step. */
export const allFactors = { allowTotpApp: true, allowTotpEmail: true } as const

/** An issuer that allows every second step, with a user and an application. */
export async function startWithFactors({ settings, ...options }: StartOptions = {}) {
  const issuer = await startIssuer({
    passwords: instantPasswords,
    ...options,
    settings: { ...allFactors, ...settings },
  })
  const user = await issuer.addUser(ada)
  const app = await createClient(issuer)
  return { issuer, user, app }
}

/** Whether a login has ended with a code for the application. */
export const hasCode = ({ location }: Page) => /[?&]code=/.test(location ?? '')

/** The key that a page for an authenticator app shows as text. */
export function seedOn({ html }: Page): string {
  const [, seed] = /<code>([A-Z2-7 ]{32,})<\/code>/.exec(html) ?? []
  if (!seed) throw new Error(`No key on: ${html}`)
  return seed
}

/** The recovery codes that a page shows. */
export function recoveryCodesOn({ html }: Page): string[] {
  return [...html.matchAll(/<code>([0-9A-Z-]{19})<\/code>/g)].map(([, code = '']) => code)
}

/** The code that an authenticator app with this seed shows. */
export function codeOf(seed: string, steps = 0): string {
  const totp = new TOTP({ secret: Secret.fromBase32(seed.replaceAll(' ', '')) })
  return totp.generate({ timestamp: Date.now() + steps * 30_000 })
}

/** A wrong code: the right one with another last digit. */
export const wrong = (code: string) => code.slice(0, -1) + ((Number(code.at(-1)) + 1) % 10)

/** Gives the user an authenticator app and recovery codes; nothing else changes. */
export async function addApp({ scope }: TestIssuer, user: User) {
  const seed = newSeed()
  const codes = await giveRecoveryCodes(scope, user)
  await addCredential(scope, totpCredential(scope, user, { seed, step: 0 }))
  return { seed, codes }
}

/** Gives the user recovery codes in place of those that are there. */
export async function giveRecoveryCodes(scope: Scope, user: User): Promise<string[]> {
  const { context, tenantId } = scope
  const last = await context.store.credentials.get(tenantId, user.id, 'recovery_codes')
  return (await renewRecoveryCodes(scope, user, last?.rev)) ?? []
}

/** Gives the user codes by mail. */
export async function addMail({ scope }: TestIssuer, user: User): Promise<void> {
  await addCredential(scope, mailCredential(scope, user))
}

/** The code in the newest message that has one: news of guessed codes may have come after it. */
export async function mailedCode(issuer: TestIssuer): Promise<string> {
  const mails = await issuer.mails()
  const [code] = mails.flatMap(({ text }) => /\b\d{8}\b/.exec(text)?.[0] ?? [])
  if (!code) throw new Error(`No code in: ${mails.map(({ subject }) => subject)}`)
  return code
}
