import { Secret, TOTP } from 'otpauth'
import { enrolMail, enrolTotp, renewRecoveryCodes } from '../../../src/domain/factors.ts'
import { newSeed } from '../../../src/domain/totp.ts'
import type { User } from '../../../src/store/records.ts'
import type { TestIssuer } from './issuer.ts'

/** What REFEDS calls a login by two factors. */
export const MFA = 'https://refeds.org/profile/mfa'

/** A second step of which the second is weaker than a factor. */
export const TWO_STEP = 'urn:latchkey:acr:two-step'

/** The settings of a tenant that has every second step. */
export const allFactors = { allowTotpApp: true, allowTotpEmail: true } as const

/** The code that an authenticator app with this seed shows. */
export function codeOf(seed: string, steps = 0): string {
  const totp = new TOTP({ secret: Secret.fromBase32(seed.replaceAll(' ', '')) })
  return totp.generate({ timestamp: Date.now() + steps * 30_000 })
}

/** Gives the user an authenticator app and recovery codes; nothing else changes. */
export async function addApp({ scope }: TestIssuer, user: User) {
  const seed = newSeed()
  const codes = await renewRecoveryCodes(scope, user)
  await enrolTotp(scope, user, { seed, step: 0 }, undefined)
  return { seed, codes }
}

/** Gives the user codes by mail. */
export async function addMail({ scope }: TestIssuer, user: User): Promise<void> {
  await enrolMail(scope, user, undefined)
}

/** The code in the newest message. */
export async function mailedCode(issuer: TestIssuer): Promise<string> {
  const [mail] = await issuer.mails()
  const [code] = /\b\d{8}\b/.exec(mail?.text ?? '') ?? []
  if (!code) throw new Error(`No code in: ${mail?.text}`)
  return code
}
