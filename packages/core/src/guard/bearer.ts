import type { RequestContext } from '../context.ts'
import { AccessError, type LatchkeyError, RequestError } from '../errors/errors.ts'
import { sendsProof } from '../http/bearer-header.ts'
import type { AuthResponse } from '../http/request.ts'
import { listOf, weaknessOf } from '../login/session-strength.ts'
import { ACTOR_REFUSED, actorRefused } from './acting.ts'
import { type BearerTarget, needScopes, resourceParameters, scopeOf } from './bearer-target.ts'
import { type BearerLogin, readBearer } from './bearer-token.ts'
import { explain, failedOf } from './failed-requirement.ts'
import { bearerChallenge, publishRefusal } from './refusals.ts'
import { rehearse } from './rehearsal.ts'
import type { Requirement } from './requirement.ts'

/** The `error_description` that a client gets for a refused token, by failed check. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'token.typ': 'The token is not a JWT access token (RFC 9068)',
  'token.iss': 'The token is from another issuer',
  'token.aud': 'The token is for another audience',
  'token.signature': 'The signature of the token is wrong',
  'token.exp': 'The token has expired',
  'token.nbf': 'The token is not valid yet',
  'token.active': 'The token has expired or was revoked',
  'token.claims': 'The claims of the token do not fit the application',
  'token.cnf':
    'A token that is bound needs the scheme DPoP with the proof of its key; no other binding is accepted',
  'token.promise': 'The token is [object Promise]: its sender did not wait for it',
  'token.proof': 'The proof of possession is missing or not valid',
  'token.scheme': 'The token is not bound to a key, which the API requires',
}

/** A request whose guard accepts bearer tokens. */
interface BearerRequest extends RequestContext {
  bearer: BearerLogin | undefined
}

/**
 * Decides by the bearer token whether a request may pass. Resolves to `undefined` if it may,
 * otherwise to the response. No session is created or read. Browsers do not send a bearer token on
 * their own, so the page that sent the request is not checked.
 *
 * @see RFC 6750 §3, RFC 9470 §3
 */
export async function authorizeBearer(
  asked: BearerRequest,
  requirement: Requirement<never, never>,
  target: BearerTarget,
  subject: unknown,
): Promise<AuthResponse | undefined> {
  const { options } = asked.context
  const needed = needScopes(asked, requirement.scopes)
  const refuseToken = refusalOf(asked, resourceParameters(target, needed))
  let found: BearerLogin
  try {
    found = await readBearer(asked, target)
  } catch (error) {
    return answerToken(refuseToken, error)
  }
  asked.bearer = { ...found, resource: target.resource }
  const { login, scopes } = found
  const lacking = requirement.scopes?.find((scope) => !scopes.includes(scope))
  const tooWeak = weaknessOf(login, requirement, options.now())
  const actor = actorRefused(login, requirement, tooWeak)
  if (requirement.enforce === false) {
    const failed = lacking === undefined ? (actor ?? tooWeak) : 'scopes'
    return rehearse(asked.context, login, requirement, subject, failed)
  }
  if (lacking !== undefined) {
    const message = `The bearer token does not have the scope "${lacking}".`
    const error = new AccessError('LATCHKEY_SCOPE_MISSING', message, { failed: 'scopes' })
    return refuseToken(error, { error: 'insufficient_scope', scope: scopeOf(needed) })
  }
  if (actor) {
    return refuseToken(new AccessError('LATCHKEY_FORBIDDEN', ACTOR_REFUSED, { failed: actor }))
  }
  if (tooWeak) {
    const message = 'The user of the bearer token has to log in more recently or more strongly.'
    const error = new AccessError('LATCHKEY_STEP_UP_REQUIRED', message, { failed: tooWeak })
    return refuseToken(error, {
      error: 'insufficient_user_authentication',
      acr_values: listOf(requirement.acr)?.join(' '),
      max_age: requirement.maxAge?.toString(),
    })
  }
  const failed = await failedOf(options, login.user, requirement, subject)
  if (failed === undefined) return undefined
  const message = explain(failed, options, login.user, requirement)
  return refuseToken(new AccessError('LATCHKEY_FORBIDDEN', message, { failed }))
}

type RefuseToken = (
  error: LatchkeyError,
  challenge?: Readonly<Record<string, string | undefined>>,
) => Promise<AuthResponse>

function answerToken(refuseToken: RefuseToken, error: unknown): Promise<AuthResponse> {
  if (error instanceof RequestError) return refuseToken(error, { error: 'invalid_request' })
  if (!(error instanceof AccessError)) throw error
  const told = DESCRIPTIONS[error.failed ?? '']
  const isProof = error.failed === 'token.proof'
  return refuseToken(error, {
    error: isProof ? 'invalid_dpop_proof' : 'invalid_token',
    error_description: told,
  })
}

/**
 * Makes the function that refuses the token of a request. With a challenge, the response has a
 * `WWW-Authenticate` header that also names the resource.
 */
function refusalOf(
  asked: BearerRequest,
  ofResource: Readonly<Record<string, string | undefined>>,
): RefuseToken {
  return (error, challenge) => {
    const { context, request, bearer } = asked
    if (error instanceof AccessError) publishRefusal(context, error, bearer?.login)
    asked.bearer = undefined
    const parameters = { ...challenge, ...ofResource }
    const headers = challenge && {
      'www-authenticate': bearerChallenge(context, parameters, sendsProof(request)),
    }
    return context.answerError(error, request, { api: true, ...(headers && { headers }) })
  }
}
