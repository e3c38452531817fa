import { createHash } from 'node:crypto'
import type { IDToken } from 'openid-client'
import { REMEDIES } from '../../errors/remedies.ts'
import { CLOCK_TOLERANCE_SECONDS } from '../clock.ts'
import { printable } from '../errors.ts'
import { isSubject } from '../subject.ts'
import { hashesOf } from './signature.ts'

/** The values that the claims of an ID token are compared with. */
export interface IdTokenExpectations {
  readonly issuer: string
  /**
   * The Entra ID tenants whose users may log in, if the issuer is Entra ID for several tenants
   * (`{tenantid}`).
   */
  readonly entraTenants?: readonly string[] | undefined
  readonly clientId: string
  readonly now: number
  /** The access token of the same response, for `at_hash`. */
  readonly accessToken?: string | undefined
  /** The algorithm that the token is signed with, for `at_hash`. */
  readonly alg?: string | undefined
  /** The login that the token answers. Absent for a refresh. */
  readonly login?: {
    readonly nonce: string
    readonly startedAt: number
    readonly maxAge?: number | undefined
  }
}

/** A failed check of an ID token: the claim, with the reason and the remedy for the operator. */
export interface IdTokenFault {
  readonly claim: string
  readonly message: string
  /** The remedy; `undefined` if only the provider's operator can correct the token. */
  readonly remedy: string | undefined
}

const CAUSES = REMEDIES.LATCHKEY_TOKEN_INVALID

/** The remedies by claim. */
const REMEDY_OF: Readonly<Record<string, string>> = {
  ...{ iss: CAUSES.issuer, tid: CAUSES.tenant, aud: CAUSES.audience, azp: CAUSES.audience },
  ...{ exp: CAUSES.time, iat: CAUSES.time, nbf: CAUSES.time, nonce: CAUSES.nonce },
}

const ALLOWED = `at most ${CLOCK_TOLERANCE_SECONDS} s are allowed`

/** The seconds by which Entra ID backdates `iat` and `nbf`. */
const BACKDATED_SECONDS = 300

/**
 * Returns the first check that the claims of an ID token do not pass; `undefined` if they pass all.
 * The signature is not checked here.
 *
 * @see OpenID Connect Core 1.0 §3.1.3.7, §3.1.3.8, §12.2
 */
export function idTokenFault(
  claims: Partial<IDToken>,
  expected: IdTokenExpectations,
): IdTokenFault | undefined {
  return (
    issuerFault(claims, expected) ??
    audienceFault(claims, expected) ??
    subjectFault(claims) ??
    timeFault(claims, expected) ??
    loginFault(claims, expected) ??
    accessTokenFault(claims, expected)
  )
}

function issuerFault(
  { iss, tid }: Partial<IDToken>,
  { issuer: template, entraTenants }: IdTokenExpectations,
) {
  if (entraTenants && !(typeof tid === 'string' && entraTenants.includes(tid))) {
    return fault('tid', `is ${shown(tid)}, which is not among "entraTenants"`)
  }
  const issuer = template.replace('{tenantid}', String(tid))
  if (iss === issuer) return undefined
  return fault('iss', `is ${shown(iss)}, but the provider's discovery document says "${issuer}"`)
}

/** Checks `aud` and `azp`. openid-client checks `azp` only if there are several audiences. */
function audienceFault({ aud, azp }: Partial<IDToken>, { clientId }: IdTokenExpectations) {
  const audiences = Array.isArray(aud) ? aud : [aud]
  if (!audiences.includes(clientId)) {
    return fault('aud', `is ${shown(aud)}, but this client is "${clientId}"`)
  }
  if (azp === undefined && audiences.length > 1) {
    return malformed('azp', 'is missing although there are several audiences')
  }
  if (azp === undefined || azp === clientId) return undefined
  return fault('azp', `is ${shown(azp)}, but this client is "${clientId}"`)
}

function subjectFault({ sub }: Partial<IDToken>) {
  if (isSubject(sub)) return undefined
  return fault('sub', 'must be 1 to 255 ASCII characters')
}

function timeFault({ iat, exp, nbf }: Partial<IDToken>, { now }: IdTokenExpectations) {
  if (typeof exp !== 'number') return malformed('exp', 'must be a number')
  if (typeof iat !== 'number') return malformed('iat', 'must be a number')
  if (exp <= now - CLOCK_TOLERANCE_SECONDS) {
    return fault('exp', `is ${now - exp} s in the past, and ${ALLOWED}`)
  }
  const later = Math.max(iat, typeof nbf === 'number' ? nbf : iat)
  if (later <= now + CLOCK_TOLERANCE_SECONDS) return undefined
  const claim = later === iat ? 'iat' : 'nbf'
  return fault(claim, `is ${later - now} s in the future, and ${ALLOWED}`)
}

function loginFault(claims: Partial<IDToken>, { login, now }: IdTokenExpectations) {
  if (!login) return undefined
  const { nonce, iat = 0, nbf, auth_time: authTime } = claims
  if (nonce !== login.nonce) {
    return fault('nonce', nonce === undefined ? 'is missing' : 'is not the one that was sent')
  }
  const tolerance = CLOCK_TOLERANCE_SECONDS + (nbf === iat ? BACKDATED_SECONDS : 0)
  if (iat < login.startedAt - tolerance) {
    return fault('iat', `is ${login.startedAt - iat} s before the login began, and ${ALLOWED}`)
  }
  if (login.maxAge === undefined) return undefined
  if (authTime === undefined) {
    const asked = `logged in within ${login.maxAge} s, as "max_age" asked`
    return fault(
      'auth_time',
      `is missing, so nothing says whether the user ${asked}. Let the provider send this claim to the application`,
    )
  }
  if (typeof authTime !== 'number') return fault('auth_time', 'must be a number')
  if (authTime + login.maxAge >= now - CLOCK_TOLERANCE_SECONDS) return undefined
  return fault(
    'auth_time',
    `is ${now - authTime} s ago, but at most ${login.maxAge} s were asked for`,
  )
}

function accessTokenFault(
  { at_hash: found }: Partial<IDToken>,
  { accessToken, alg = '' }: IdTokenExpectations,
) {
  const hashes = hashesOf(alg)
  if (found === undefined || accessToken === undefined || hashes.length === 0) return undefined
  const isRight = hashes.some((hash) => {
    const digest = createHash(hash).update(accessToken).digest()
    return digest.subarray(0, digest.length / 2).toString('base64url') === found
  })
  if (isRight) return undefined
  return fault('at_hash', 'is not the hash of the access token that came with it')
}

function fault(claim: string, what: string): IdTokenFault {
  return { ...malformed(claim, what), remedy: REMEDY_OF[claim] }
}

/** The fault of a malformed claim. No setting can correct the claim, so there is no remedy. */
function malformed(claim: string, what: string): IdTokenFault {
  return { claim, message: `"${claim}" of the ID token ${what}.`, remedy: undefined }
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : `"${printable(value, 200)}"`
}
