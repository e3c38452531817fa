import type { LoadPersonas, Platform, RequestContext } from '../context.ts'
import { ConfigError, ProviderError } from '../errors/errors.ts'
import { isDevelopment, personasPath } from '../http/development.ts'
import { discoveryUrlOf } from '../http/issuer-url.ts'
import { type AuthResponse, queryOf } from '../http/request.ts'
import type { Log } from '../log/log.ts'
import type {
  AnyAuthOptions,
  ResolvedAuthOptions,
  ResolvedRegistration,
} from '../options/options.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { randomText } from '../shared/random.ts'
import type { Personas } from './personas.ts'

/** The personas of one instance. */
interface PersonaLogins {
  /** Answers an authorization request; `undefined` for any other request. */
  answer(path: string, asked: RequestContext): Promise<AuthResponse> | undefined
  /**
   * Says at start that personas log in, and how a browser is let in.
   *
   * @param link - The address that gives a browser the key of development.
   */
  announce(log: Log, link: string): void
}

const ISSUER = 'http://personas.localhost'
/** The service is started at the first exchange, which then takes a while. */
const START_SECONDS = 60
const INSTALL =
  'Or log in as test users in development, without a provider: npm install --save-dev @latchkey/testing'

/** The options, and the personas where no provider is configured on a developer's machine. */
export function resolveForHere(
  options: AnyAuthOptions,
  platform: Platform,
): { readonly resolved: ResolvedAuthOptions; readonly personas?: PersonaLogins } {
  const { environment } = platform
  if (!lacksProvider(options, platform)) return { resolved: resolveOptions(options, environment) }
  const load = platform.findPersonas?.()
  return load ? withPersonas(options, platform, load) : { resolved: orInstall(options, platform) }
}

/** Whether nothing is said of a provider, and this is a developer's machine for certain. */
function lacksProvider(options: AnyAuthOptions, { environment, findPersonas }: Platform): boolean {
  if (typeof options !== 'object' || options === null || !environment || !findPersonas) return false
  const { issuer, clientId, clientSecret, clientAuth, clientKey, discoveryUrl, metadata } = options
  const { LATCHKEY_ISSUER, LATCHKEY_CLIENT_ID, LATCHKEY_CLIENT_SECRET } = environment
  const said = [issuer, clientId, clientSecret, clientAuth, clientKey, discoveryUrl, metadata]
  const read = [LATCHKEY_ISSUER, LATCHKEY_CLIENT_ID, LATCHKEY_CLIENT_SECRET]
  if ([...said, ...read].some((value) => value !== undefined)) return false
  // Of several base URLs none is the one that personas come back to.
  const baseUrl = String(options.baseUrl ?? environment.LATCHKEY_BASE_URL)
  return URL.canParse(baseUrl) && isDevelopment(environment, [new URL(baseUrl)])
}

/** Reports the missing settings, and that personas are the alternative. */
function orInstall(options: AnyAuthOptions, { environment }: Platform): ResolvedAuthOptions {
  try {
    return resolveOptions(options, environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ConfigError(
      error.faults.map((fault) =>
        fault.option === 'issuer' ? { ...fault, remedy: `${fault.remedy} ${INSTALL}` } : fault,
      ),
    )
  }
}

function withPersonas(
  options: AnyAuthOptions,
  { environment = {} }: Platform,
  load: LoadPersonas,
): { resolved: ResolvedAuthOptions; personas: PersonaLogins } {
  let starting: Promise<Personas> | undefined
  let clientId = 'of test users'
  const start = async (): Promise<Personas> => {
    const begin = await load()
    const { baseUrl } = resolved
    const started = await begin({
      ...{ issuer: ISSUER, baseUrl: baseUrl.href, routes: options.routes ?? {} },
    })
    clientId = started.clientId
    return started
  }
  const started = (): Promise<Personas> => {
    starting ??= start().catch((cause: unknown) => {
      starting = undefined
      const message = 'The test users of @latchkey/testing could not be started.'
      throw new ProviderError('LATCHKEY_PROVIDER_UNAVAILABLE', message, { cause })
    })
    return starting
  }
  const clientSecret = async (): Promise<string> => (await started()).clientSecret
  const { session = {}, allowedLoginParams = ['login_hint', 'ui_locales'] } = options
  const given = resolveOptions(
    {
      ...options,
      ...{ issuer: ISSUER, clientId, clientSecret },
      fetch: async (...exchange) => (await started()).fetch(...exchange),
      allowedLoginParams: [...allowedLoginParams, 'as'],
      session: {
        ...session,
        secret: session.secret ?? environment.LATCHKEY_SESSION_SECRET ?? randomText(32),
      },
    },
    environment,
  )
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
    // The browser never sees the service: this application shows who there is. A logout ends here.
    metadata: {
      authorization_endpoint: given.baseUrl.origin + path,
      end_session_endpoint: undefined,
    },
    timeoutSeconds: START_SECONDS,
    requestSeconds: START_SECONDS,
    answerSeconds: Math.max(given.answerSeconds, START_SECONDS),
  }
  const personas: PersonaLogins = {
    answer: (asked, context) => (asked === path ? logInAs(context, started) : undefined),
    announce({ warned }, link) {
      warned(
        'LATCHKEY_PERSONAS',
        `Open ${link} in your browser: test users log in with one click, as no provider is configured.`,
      )
    },
  }
  return { resolved, personas }
}

/** Shows the users, or logs one in: with `as`, or without a user when the application told it to ask nothing. */
async function logInAs(
  { request }: RequestContext,
  started: () => Promise<Personas>,
): Promise<AuthResponse> {
  const [found, { answerLogin }] = await Promise.all([started(), import('./personas.ts')])
  return answerLogin(found, queryOf(request.url))
}
