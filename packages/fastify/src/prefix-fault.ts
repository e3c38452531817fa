import { type Auth, ConfigError } from '@latchkey/core'

/**
 * The fault of a login that is registered with a `prefix` and has routes that are not below it.
 * Fastify does not apply the prefix, because the login is for the whole application. `undefined` if
 * all routes are below the prefix.
 */
export function prefixFault({ baseUrl, routes }: Auth, prefix: string): ConfigError | undefined {
  const path = prefix.replace(/\/$/, '')
  const places = [`${path}/`, `${baseUrl.pathname.replace(/\/$/, '')}${path}/`]
  const isBelow = (route: string): boolean => places.some((place) => route.startsWith(place))
  const other = Object.values(routes).find((route) => route && !isBelow(route))
  if (other === undefined) return undefined
  const remedy = `is "${prefix}", but the login answers "${other}": Fastify does not apply a prefix to it. Write await app.register(createAuth(…)) without "prefix". To move the login, begin each of "routes" with "${path}", or put "${path}" at the end of "baseUrl".`
  return new ConfigError([{ option: 'prefix', remedy }])
}
