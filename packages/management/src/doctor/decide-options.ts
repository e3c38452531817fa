import { type Finding, fault, isLoopback, ok, skipped } from './checks.ts'
import { type Attempt, discoveryUrlOf, type FoundProvider } from './find-provider.ts'
import { pageOf } from './provider-pages.ts'

/** The kit's options for a provider, and the findings that they are based on. */
export interface Decision {
  /** The options by name, as code; empty if the kit cannot use the provider. */
  readonly options: Readonly<Record<string, string>>
  readonly findings: readonly Finding[]
  /** The name of the page about the provider in `docs/providers`, if there is one. */
  readonly page: string | undefined
}

/** A finding, with the options that follow from it. */
interface Part {
  readonly finding: Finding
  readonly options?: Readonly<Record<string, string>>
}

type Document = FoundProvider['document']

/** The algorithms of ID tokens that the kit accepts. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
const REQUIRED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri']
/**
 * The characters that are allowed in an issuer. Any other character is invalid in a URL, or could
 * end the string in the printed code.
 */
const PRINTABLE = /^[\x21\x23-\x26\x28-\x5b\x5d-\x7e]+$/

/** Decides which options an application needs for a provider. */
export function decideOptions(asked: URL, found: FoundProvider): Decision {
  const { document, issuer } = found
  const known = pageOf([asked, URL.parse(issuer) ?? undefined])
  const parts: Part[] = [
    ...(known?.refused ? [{ finding: fault('provider', known.refused, 'See the page.') }] : []),
    checkIssuer(found),
    ...checkHttps(issuer),
    checkEndpoints(document),
    ...checkFlow(document),
    { finding: checkAlgorithms(document) },
    checkMethods(document),
    ...checkExtras(document).map((finding) => ({ finding })),
  ]
  const findings = parts.map(({ finding }) => finding)
  const cannotLogIn = findings.some(({ state }) => state === 'fault')
  const options = Object.assign({}, ...parts.map((part) => part.options))
  return { options: cannotLogIn ? {} : options, findings, page: known?.page }
}

/** Reports that no discovery document was found. The result has no options. */
export function decideWithout(asked: URL, tried: readonly Attempt[]): Decision {
  const known = pageOf([asked])
  const found = tried.map(({ address, why }) => `${address} (${why})`).join(', ')
  const remedy =
    known?.refused ??
    'Ask its operator for the discovery address. If it has none, set the option "metadata" with authorization_endpoint, token_endpoint and jwks_uri; a provider without ID tokens cannot be used.'
  const finding = fault('discovery', `no document at ${found}`, remedy)
  return { options: {}, findings: [finding], page: known?.page }
}

function checkIssuer({ issuer, address }: FoundProvider): Part {
  const check = 'issuer'
  if (!URL.canParse(issuer) || !PRINTABLE.test(issuer)) {
    const remedy = 'Ask its operator.'
    return { finding: fault(check, 'the document names an issuer that is no address', remedy) }
  }
  if (issuer.includes('{tenantid}')) {
    return {
      finding: ok(check, 'it is for users of several tenants: name those that you admit'),
      options: {
        issuer: quoted(address.href.split('/.well-known/')[0] ?? ''),
        entraTenants: "['<tenant id>']",
      },
    }
  }
  const isElsewhere = discoveryUrlOf(issuer)?.href !== address.href
  return {
    finding: ok(check, `${address.href} names the issuer ${issuer}`),
    options: {
      issuer: quoted(issuer),
      ...(isElsewhere ? { discoveryUrl: quoted(address.href) } : {}),
    },
  }
}

function checkHttps(issuer: string): Part[] {
  const { protocol, hostname = '' } = URL.parse(issuer) ?? {}
  if (protocol !== 'http:') return []
  const finding = skipped('https', 'the issuer is not https: for development only')
  return [{ finding, ...(isLoopback(hostname) ? {} : { options: insecure(hostname) }) }]
}

const insecure = (hostname: string) => ({ insecureHttpHosts: `['${hostname}']` })

function checkEndpoints(document: Document): Part {
  const missing = REQUIRED.filter((name) => !URL.canParse(String(document[name])))
  if (missing.length === 0) return { finding: ok('endpoints', 'all are named') }
  const remedy = 'Set them in the option "metadata", if the provider has them.'
  return { finding: fault('endpoints', `the document has no ${missing.join(', ')}`, remedy) }
}

function checkFlow(document: Document): Part[] {
  const types = listOf(document.response_types_supported)
  const parts: Part[] = []
  if (types && !types.includes('code')) {
    const remedy = 'Switch the code flow on there.'
    parts.push({ finding: fault('flow', `the provider offers ${types.join(', ')}`, remedy) })
  }
  if (document.require_signed_request_object === true) {
    const remedy = 'Switch that off for this application.'
    parts.push({ finding: fault('requests', 'the provider wants signed requests', remedy) })
  }
  return parts
}

function checkAlgorithms(document: Document): Finding {
  const check = 'ID tokens'
  const offered = listOf(document.id_token_signing_alg_values_supported)
  if (!offered) return skipped(check, 'the document names no algorithm')
  const accepted = offered.filter((one) => ALGORITHMS.includes(one))
  if (accepted.length === 0) {
    const remedy = `Choose another at the provider: ${ALGORITHMS.join(', ')}.`
    return fault(check, `signed with ${offered.join(', ')}, which is refused`, remedy)
  }
  const others = offered.filter((one) => !accepted.includes(one))
  const choose = others.length > 0 ? `; do not choose ${others.join(', ')} there` : ''
  return ok(check, `signed with ${accepted.join(', ')}${choose}`)
}

function checkMethods(document: Document): Part {
  const check = 'client secret'
  const methods = listOf(document.token_endpoint_auth_methods_supported) ?? ['client_secret_basic']
  if (methods.includes('client_secret_basic') || methods.includes('client_secret_post')) {
    return { finding: ok(check, 'sent as the document says') }
  }
  if (methods.includes('private_key_jwt')) {
    const options = { clientAuth: "'private_key_jwt'", clientKey: 'privateKey' }
    return { finding: ok(check, 'none: the application signs with a key of its own'), options }
  }
  if (methods.includes('none')) {
    const options = { clientAuth: "'none'" }
    return { finding: ok(check, 'none: the provider takes public clients alone'), options }
  }
  const remedy = 'Switch another method on there.'
  return { finding: fault(check, `the provider takes ${methods.join(', ')}`, remedy) }
}

function checkExtras(document: Document): Finding[] {
  const lacks = (name: string, value: string): boolean =>
    listOf(document[name])?.includes(value) === false
  const canLogOut = typeof document.end_session_endpoint === 'string'
  return [
    ...(lacks('code_challenge_methods_supported', 'S256')
      ? [skipped('PKCE', 'the document does not name S256; the application sends it all the same')]
      : []),
    ...(listOf(document.scopes_supported)?.includes('offline_access')
      ? [ok('refresh tokens', "with scope: 'openid profile email offline_access'")]
      : []),
    ...(lacks('claims_supported', 'auth_time')
      ? [skipped('recent logins', 'the document does not name auth_time, which maxAge needs')]
      : []),
    canLogOut
      ? ok('logout', 'ends the session at the provider as well')
      : skipped('logout', 'ends the session of the application alone'),
  ]
}

function listOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter((one) => typeof one === 'string' && PRINTABLE.test(one.replaceAll(' ', '_')))
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", '%27')}'`
}
