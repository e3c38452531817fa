import { type Auth, ConfigError } from '@latchkey/core'

/**
 * The fault of a login under a path whose routes are not below that path, such as
 * `app.use('/auth/*', createAuth())`. `undefined` if the request is for no route of the login below
 * that path. Other requests may pass: the same login may be mounted under further paths.
 *
 * @param mounted - The path of the middleware.
 * @param path - The path of a request that the application has answered with 404.
 */
export function mountFault(
  { baseUrl, routes }: Auth,
  mounted: string,
  path: string,
): ConfigError | undefined {
  const [, folder] = LITERAL.exec(mounted) ?? []
  if (folder === undefined || !path.startsWith(`${folder}/`)) return undefined
  const own = path.slice(folder.length)
  const wanted = baseUrl.pathname.replace(/\/$/, '') + own
  const [name] = Object.entries(routes).find(([, route]) => route === wanted) ?? []
  if (name === undefined || own.startsWith(`${folder}/`)) return undefined
  const remedy = `is "${own}", which the login at "${mounted}" never sees. Write app.use(createAuth(…)) without a path and set "routes.${name}" to "${path}", or put "${folder}" at the end of "baseUrl".`
  return new ConfigError([{ option: `routes.${name}`, remedy }])
}

/** A path without parameters, and a wildcard. */
const LITERAL = /^((?:\/[\w.~-]+)+)\/\*$/
