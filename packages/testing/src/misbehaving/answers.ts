import { randomBytes } from 'node:crypto'
import type { Fault } from './faults.ts'
import { foreignKey, type SigningKey, toJwk } from './signing.ts'

/** The parts of a discovery document. */
interface DiscoverySource {
  readonly issuer: string
  readonly fault: Fault | undefined
  readonly metadata: Record<string, unknown>
}

/** The discovery document. */
export function discoveryDocument({ issuer, fault, metadata }: DiscoverySource): unknown {
  if (fault === 'discovery is an array') return []
  return {
    issuer:
      fault === 'discovery names another issuer'
        ? 'https://other.example'
        : issuerName(issuer, fault, '{tenantid}'),
    authorization_endpoint: `${issuer}/auth`,
    ...(fault === 'discovery without token_endpoint' ? {} : { token_endpoint: `${issuer}/token` }),
    ...(fault === 'discovery without jwks_uri' ? {} : { jwks_uri: `${issuer}/jwks` }),
    userinfo_endpoint: `${issuer}/userinfo`,
    end_session_endpoint: `${issuer}/logout`,
    pushed_authorization_request_endpoint: `${issuer}/par`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    authorization_response_iss_parameter_supported: fault !== 'issuer of every Entra tenant',
    ...metadata,
  }
}

/** The issuer in documents and tokens. Entra ID inserts the id of the user's tenant. */
export function issuerName(issuer: string, fault: Fault | undefined, tenant: unknown): string {
  if (fault !== 'issuer of every Entra tenant') return issuer
  return `${new URL(issuer).origin}/${tenant}/v2.0`
}

/** The document at `jwks_uri`. */
export function keySet(fault: Fault | undefined, key: SigningKey): unknown {
  switch (fault) {
    case 'jwks empty':
      return { keys: [] }
    case 'jwks without keys':
      return {}
    case 'jwks of other keys':
      return { keys: [toJwk(foreignKey())] }
    case 'jwks with a broken key':
      return { keys: [{ ...toJwk(key), n: 'AQAB' }] }
    case 'jwks with keys of unknown kinds':
      return {
        keys: [
          { kty: 'AKP', alg: 'ML-DSA-99', kid: 'later', pub: 'AQAB' },
          { kty: 'XYZ' },
          toJwk(key),
        ],
      }
    case 'jwks with several keys of one kid':
      return { keys: [{ ...toJwk(foreignKey()), kid: key.kid }, toJwk(key), toJwk(key)] }
    case 'no kid':
      return { keys: [withoutKid(key)] }
    case 'no kid and several keys':
      return { keys: [withoutKid(foreignKey()), withoutKid(key)] }
    default:
      return { keys: [toJwk(key)] }
  }
}

function withoutKid(key: SigningKey): Record<string, unknown> {
  return { ...toJwk(key), kid: undefined }
}

/** The parameters with which the visitor returns. */
export function authorizationResponse(
  fault: Fault | undefined,
  issuer: string,
  code: string,
  state: string,
): URLSearchParams {
  const answer = new URLSearchParams({ code, state, iss: issuer })
  switch (fault) {
    case 'state missing':
    case 'iss missing':
    case 'code missing':
      answer.delete(fault.replace(' missing', ''))
      break
    case 'state of another login':
      answer.set('state', `${randomBytes(16).toString('base64url')}.${state.split('.')[1]}`)
      break
    case 'state repeated':
      answer.append('state', state)
      break
    case 'code repeated':
      answer.append('code', code)
      break
    case 'unknown code':
      answer.set('code', 'a-code-of-nobody')
      break
    case 'issuer of every Entra tenant':
      answer.delete('iss')
      break
    case 'callback has the user once':
      answer.set('user', JSON.stringify({ name: { firstName: 'Ada', lastName: 'Lovelace' } }))
      break
    case 'iss of another provider':
      answer.set('iss', 'https://other.example')
      break
    case 'access_denied':
    case 'login_required':
      answer.delete('code')
      answer.set('error', fault)
      break
    case 'authentication_expired':
      answer.delete('code')
      answer.set('error', 'temporarily_unavailable')
      answer.set('error_description', fault)
      break
    case 'error with markup':
      answer.delete('code')
      answer.set('error', '<script>alert(1)</script>')
      answer.set('error_description', '"><img src=x onerror=alert(1)>')
  }
  return answer
}
