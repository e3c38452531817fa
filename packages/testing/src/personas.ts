import type { Persona, PersonaApplication, Personas } from '@latchkey/development'
import { startIdentity } from './identity/identity.ts'
import { createVisitor, passPages, refused } from './identity/log-in.ts'
import { type NewUser, renewApp, type TestUser } from './identity/users.ts'

export type { Persona, PersonaApplication, Personas }

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
 * Starts the test users of an application: Ada, an admin; Bob, a viewer; and Joan, a viewer with a
 * second factor. In development the kit does this if no provider is configured.
 *
 * @throws {@link TestingError} `LATCHKEY_TEST_LOGIN_REFUSED` from `logIn()` if the pages do not end
 *   at the application.
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
      // Each code is accepted only once, so a new app with unused codes is made.
      if (user && persona?.hasApp) await renewApp(user)
      const left = user ? await passPages(visitor, url, user) : await visitor.open(url)
      if (left.kind === 'left') return left.url.href
      throw refused(left.html, user ?? { email: 'a visitor' })
    },
  }
}
