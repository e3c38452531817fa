import { type Application, startApplication } from './application.ts'
import type { Candidate, RunningProvider, Step } from './candidate.ts'
import { createVisitor, type Visitor } from './visitor.ts'

/** One row of the table. */
export interface Row {
  readonly provider: string
  readonly version: string
  readonly steps: Readonly<Record<Step, string>>
  readonly remarks: string
}

/** How long the provider may take to tell the application that a session ended. */
const NOTICE_MS = 10_000

interface Journey {
  readonly application: Application
  readonly provider: RunningProvider
  readonly visitor: Visitor
}

/**
 * Makes the whole journey with one provider: log in, refresh, be logged out by the provider, log in
 * again, log out. A step that the provider lacks reads `not offered`.
 *
 * @throws Error that names the step which failed, and what was found.
 */
export async function makeJourney(candidate: Candidate): Promise<Row> {
  await using application = await startApplication(candidate.isSecure)
  await using provider = await candidate.start(application.urls)
  application.mount(provider.options)
  const visitor = createVisitor({ [application.baseUrl]: application.urls.servedAt })
  const journey = { application, provider, visitor }
  try {
    return candidate.refused
      ? await refusal(candidate, candidate.refused, journey)
      : await everyStep(candidate, journey)
  } catch (error) {
    throw new Error(report(candidate, journey, error), { cause: error })
  }
}

async function everyStep(candidate: Candidate, journey: Journey): Promise<Row> {
  const steps: Record<Step, string> = { login: 'yes', refresh: '', logout: '', 'back-channel': '' }
  const take = async (step: Step, act: (journey: Journey) => Promise<void>): Promise<void> => {
    const isLacking = candidate.lacks?.includes(step)
    if (!isLacking) await act(journey)
    steps[step] = isLacking ? 'not offered' : 'yes'
  }
  await logIn(journey)
  await take('refresh', refresh)
  await take('back-channel', endedByProvider)
  await take('logout', (one) => logOut(one, candidate))
  if (journey.provider.revokeTokens) await revoked(journey)
  return rowOf(candidate, steps)
}

async function logIn({ application, provider, visitor }: Journey): Promise<void> {
  await visitor.open(`${application.baseUrl}/profile`)
  await provider.logIn(visitor)
  expectSame('the page after the login', visitor.url.href, `${application.baseUrl}/profile`)
  const user = JSON.parse(visitor.text) as { email?: string }
  expectSame('the email of the user', user.email, provider.email)
}

async function refresh({ application, visitor }: Journey): Promise<void> {
  const seen = new Set<string>()
  // Twice: the second time shows that the refresh token that came with the first is kept.
  for (const _ of ['once', 'again']) {
    const response = await visitor.send(`${application.baseUrl}/refresh`, {
      method: 'POST',
      headers: { accept: 'application/json', origin: new URL(application.baseUrl).origin },
    })
    expectSame('the status of a refresh', response.status, 200)
    const { before, after } = (await response.json()) as Record<string, string>
    seen.add(String(before)).add(String(after))
  }
  expectSame('the number of access tokens after two refreshes', seen.size, 3)
}

async function revoked(journey: Journey): Promise<void> {
  const { application, provider, visitor } = journey
  await expectState(journey, 'logged in')
  await provider.revokeTokens?.(visitor)
  const response = await visitor.send(`${application.baseUrl}/refresh`, {
    method: 'POST',
    headers: { accept: 'application/json', origin: new URL(application.baseUrl).origin },
  })
  expectSame('the status of a refresh with a revoked token', response.status, 401)
  await expectState(journey, 'logged out')
}

async function endedByProvider(journey: Journey): Promise<void> {
  const { application, provider, visitor } = journey
  await provider.endSession?.(visitor)
  await within(NOTICE_MS, application.loggedOutByProvider(), 'no logout token ended the session')
  await expectState(journey, 'logged out')
  await logIn(journey)
}

async function logOut(journey: Journey, candidate: Candidate): Promise<void> {
  const { application, provider, visitor } = journey
  await expectState(journey, 'logged in')
  await visitor.submit({})
  await provider.confirmLogout?.(visitor)
  if (candidate.keepsVisitorAfterLogout) {
    expectSame('the site after the logout', visitor.url.origin, provider.options.issuer)
  } else {
    expectSame('the page after the logout', visitor.url.href, `${application.baseUrl}/`)
  }
  await expectState(journey, 'logged out')
  // The provider's session has ended as well, so it asks for the credentials again.
  await logIn(journey)
}

async function refusal(
  candidate: Candidate,
  { code, says }: NonNullable<Candidate['refused']>,
  { application, provider, visitor }: Journey,
): Promise<Row> {
  await visitor.open(`${application.baseUrl}/profile`)
  if (application.errors.length === 0) await provider.logIn(visitor)
  const error = application.errors.at(-1)
  expectSame('the error code', error?.code, code)
  if (!says.test(error?.message ?? '')) {
    throw new Error(`The error should say ${says} and says: ${error?.message}`)
  }
  return rowOf(candidate, { login: 'refused', refresh: '', logout: '', 'back-channel': '' })
}

function rowOf({ provider, version, remarks }: Candidate, steps: Row['steps']): Row {
  return { provider, version: version() ?? '', steps, remarks }
}

async function expectState({ application, visitor }: Journey, state: string): Promise<void> {
  await visitor.open(`${application.baseUrl}/`)
  expectSame('the state of the application', /<main>(.*)<\/main>/.exec(visitor.text)?.[1], state)
}

function expectSame(what: string, found: unknown, expected: unknown): void {
  if (found === expected) return
  throw new Error(`${what} should be ${JSON.stringify(expected)} and is ${JSON.stringify(found)}`)
}

async function within<T>(milliseconds: number, event: Promise<T>, otherwise: string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(otherwise)), milliseconds)
  return Promise.race([event, late.promise]).finally(() => clearTimeout(timer))
}

function report({ provider }: Candidate, journey: Journey, error: unknown): string {
  const { application, visitor } = journey
  const shown = visitor.text.replace(/<(style|script).*?<\/\1>|<[^>]*>/gs, ' ').replace(/\s+/g, ' ')
  return [
    `${provider}: ${(error as Error).message}`,
    `  at ${visitor.url.origin}${visitor.url.pathname} (${visitor.status}): ${shown.slice(0, 300)}`,
    ...application.errors.map(({ code, message }) => `  ${code}: ${message}`),
  ].join('\n')
}
