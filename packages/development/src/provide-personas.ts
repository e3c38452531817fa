import {
  type AuthResponse,
  type DevelopmentPackage,
  discoveryUrlOf,
  type ErrorClasses,
  type PersonaLogins,
  personasPath,
  queryOf,
  type ResolvedAuthOptions,
  type ResolvedRegistration,
  randomText,
} from '@latchkey/core/internal'
import { answerLogin, type Personas, type StartPersonas } from './personas.ts'

const PACKAGE = '@latchkey/testing/personas'
const ISSUER = 'http://personas.localhost'
/**
 * The time limit of requests to the service of the personas, in seconds. The first request starts
 * this service, which takes a while.
 */
const START_SECONDS = 60

/**
 * Provides test users who can log in without a provider. Returns `undefined` if @latchkey/testing
 * is not installed.
 */
export const providePersonas: DevelopmentPackage['providePersonas'] = ({
  options,
  environment,
  find,
  resolve,
  errors,
}) => {
  const load = find(PACKAGE)
  if (!load) return undefined
  let starting: Promise<Personas> | undefined
  let clientId = 'of test users'
  const start = async (): Promise<Personas> => {
    const { startPersonas } = load() as { startPersonas: StartPersonas }
    const { href: baseUrl } = resolved.baseUrl
    const started = await startPersonas({ issuer: ISSUER, baseUrl, routes: options.routes ?? {} })
    clientId = started.clientId
    return started
  }
  const started = (): Promise<Personas> => {
    starting ??= start().catch((cause: unknown) => {
      starting = undefined
      const message = 'The test users of @latchkey/testing could not be started.'
      throw new errors.ProviderError('LATCHKEY_PROVIDER_UNAVAILABLE', message, { cause })
    })
    return starting
  }
  const clientSecret = async (): Promise<string> => (await started()).clientSecret
  const { session = {}, allowedLoginParams = ['login_hint', 'ui_locales'] } = options
  const given = resolve({
    ...options,
    ...{ issuer: ISSUER, clientId, clientSecret },
    fetch: async (...exchange) => (await started()).fetch(...exchange),
    allowedLoginParams: [...allowedLoginParams, 'as'],
    session: {
      ...session,
      secret: session.secret ?? environment.LATCHKEY_SESSION_SECRET ?? randomText(32),
    },
  })
  const path = personasPath(given.baseUrl)
  const registration: ResolvedRegistration = {
    issuer: new URL(ISSUER),
    discovery: discoveryUrlOf(new URL(ISSUER)),
    get clientId() {
      return clientId
    },
    clientSecret,
  }
  const resolved: ResolvedAuthOptions = {
    ...given,
    registration,
    // The browser cannot reach the identity service of the personas, which runs in this process
    // without a socket. So the application shows the list of users at the authorization endpoint,
    // and a logout makes no redirect to a provider.
    metadata: {
      authorization_endpoint: given.baseUrl.origin + path,
      end_session_endpoint: undefined,
    },
    timeoutSeconds: START_SECONDS,
    requestSeconds: START_SECONDS,
    answerSeconds: Math.max(given.answerSeconds, START_SECONDS),
  }
  const answer: PersonaLogins['answer'] = (asked, { request }) =>
    asked === path ? logInAs(queryOf(request.url), started, errors) : undefined
  return { resolved, personas: { answer } }
}

/** Answers an authorization request, and starts the personas if necessary. */
async function logInAs(
  query: URLSearchParams,
  started: () => Promise<Personas>,
  errors: ErrorClasses,
): Promise<AuthResponse> {
  return answerLogin(await started(), query, errors)
}
