import {
  type MisbehavingProvider,
  startMisbehavingProvider,
} from '../../../../testing/src/misbehaving-provider.ts'
import {
  type ConnectionInput,
  createConnection,
} from '../../../src/domain/connections/connections.ts'
import type { Connection } from '../../../src/store/records.ts'
import { type Browser, createBrowser, type Page } from './browser.ts'
import { createClient } from './client.ts'
import { instantPasswords } from './instant-passwords.ts'
import { type StartOptions, startIssuer, type TestIssuer } from './issuer.ts'

/** Connects a tenant with a provider. */
export function connect(
  { scope }: TestIssuer,
  provider: Pick<MisbehavingProvider, 'issuer' | 'clientId' | 'clientSecret'>,
  input: Partial<ConnectionInput> = {},
): Promise<Connection> {
  const { issuer, clientId, clientSecret: secret } = provider
  return createConnection(scope, {
    recipe: 'oidc',
    name: 'Example',
    issuer,
    clientId,
    secret,
    ...input,
  })
}

/** An issuer whose users can log in at a provider, which misbehaves on demand. */
export async function startWithProvider(
  { settings, ...options }: StartOptions = {},
  input: Partial<ConnectionInput> = {},
) {
  await using all = new AsyncDisposableStack()
  const warnings: Record<string, unknown>[] = []
  const logger = {
    debug: () => {},
    warn: (facts: object) => void warnings.push(facts as Record<string, unknown>),
    error: (facts: object) => void warnings.push({ ...facts, isError: true }),
  }
  const issuer = all.use(
    await startIssuer({
      passwords: instantPasswords,
      logger,
      ...options,
      settings: { allowSocial: true, ...settings },
    }),
  )
  const provider = all.use(await startMisbehavingProvider())
  const connection = await connect(issuer, provider, input)
  const app = await createClient(issuer)
  const owned = all.move()

  return {
    issuer,
    provider,
    connection,
    app,
    /** Every line of the log. */
    warnings,
    /** Opens the login form in a browser. */
    async open(browser: Browser = createBrowser(issuer), parameters: Record<string, string> = {}) {
      const begun = await app.begin(parameters)
      return { browser, begun, form: await browser.get(begun.url) }
    },
    /** Logs in at the provider, from a page that leads there, up to where that leads. */
    async logInBy(
      browser: Browser,
      page: Page,
      { id }: Pick<Connection, 'id'> = connection,
    ): Promise<Page> {
      return browser.get(await answerOf(await browser.submit(page, { connection: id })))
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  }
}

/** Where the provider sends the browser that was sent there. */
export async function answerOf({
  location,
  html,
}: Pick<Page, 'location' | 'html'>): Promise<string> {
  if (location === undefined) throw new Error(`It leads to no provider: ${html}`)
  const answer = await fetch(location, { redirect: 'manual' })
  return answer.headers.get('location') ?? ''
}

/** What the page says in its note. */
export const noteOf = ({ html }: Page): string => /class="note [^>]*>([^<]*)</.exec(html)?.[1] ?? ''
