import { startIdentity } from './identity.ts'
import { createVisitor, passPages, refused } from './log-in.ts'
import { type NewUser, renewApp, type TestUser } from './users.ts'

/** What an application is, and at which issuer it looks for its users. */
export interface PersonaApplication {
  /** On this machine, such as `http://personas.localhost`: nothing is looked up. */
  readonly issuer: string
  readonly baseUrl: string
  readonly routes: { readonly callback?: string; readonly loggedOut?: string | false }
}

/** Someone to log in as in development. */
export interface Persona {
  /** The value of `?as=` on the login route. */
  readonly id: string
  readonly name: string
  /** What is special about them. */
  readonly note: string
}

/** The users of an application in development, at an identity service in this process. */
export interface Personas {
  readonly clientId: string
  readonly clientSecret: string
  readonly users: readonly Persona[]
  /** Reaches the service without a socket. */
  readonly fetch: typeof fetch
  /**
   * Passes the pages of a login as a persona, a second factor included; without one, as a visitor who is
   * not known.
   *
   * @param query - The parameters of the authorization request.
   * @returns Where the pages lead: the callback of the application, with the answer.
   * @throws {@link TestingError} with `LATCHKEY_TEST_LOGIN_REFUSED` when they lead nowhere.
   */
  logIn(query: URLSearchParams, id: string | undefined): Promise<string>
}

interface Known extends Persona {
  readonly user: NewUser
  readonly hasApp?: boolean
}

const person = (name: string, ...roles: string[]): NewUser => {
  const [given_name = '', family_name = ''] = name.split(' ')
  const email = `${given_name.toLowerCase()}@example.com`
  return { name, email, profile: { given_name, family_name }, claims: { roles } }
}

const PERSONAS: readonly Known[] = [
  { id: 'ada', name: 'Ada Lovelace', note: 'admin', user: person('Ada Lovelace', 'admin') },
  { id: 'bob', name: 'Bob Kahn', note: 'viewer', user: person('Bob Kahn', 'viewer') },
  {
    id: 'joan',
    name: 'Joan Clarke',
    note: 'viewer, with a second factor',
    user: person('Joan Clarke', 'viewer'),
    hasApp: true,
  },
]

/**
 * Starts the personas of an application: Ada, who is an admin; Bob, a viewer; and Joan, a viewer with a
 * second factor. The kit does so in development, where no provider is configured.
 */
export async function startPersonas({
  issuer,
  baseUrl,
  routes,
}: PersonaApplication): Promise<Personas> {
  const identity = await startIdentity({ domain: new URL(issuer).host })
  const { clientId, clientSecret, fetch } = identity.clientOptions({ baseUrl, routes })
  const users = new Map<string, TestUser>()
  for (const { id, user } of PERSONAS) users.set(id, await identity.createUser(user))
  const place = { issuer, fetch }
  const discovery = await fetch(`${issuer}/.well-known/openid-configuration`)
  const { authorization_endpoint: endpoint } = (await discovery.json()) as Record<string, string>

  return {
    ...{ clientId, clientSecret, fetch },
    users: PERSONAS.map(({ id, name, note }) => ({ id, name, note })),
    async logIn(query, id) {
      const visitor = createVisitor(place)
      const persona = PERSONAS.find((one) => one.id === id)
      const user = users.get(id ?? '')
      const url = `${endpoint}?${query}`
      // A code is good once, and a new app has one that nobody has used.
      if (user && persona?.hasApp) await renewApp(user)
      const left = user ? await passPages(visitor, url, user) : await visitor.open(url)
      if (left.kind === 'left') return left.url.href
      throw refused(left.html, user ?? { email: 'a visitor' })
    },
  }
}
