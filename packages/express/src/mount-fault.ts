import { type Auth, ConfigError } from '@latchkey/core'

/**
 * The fault of a router that is mounted under a path, as by `app.use('/auth', router)`, and has
 * routes that are not below that path. `undefined` if all routes are.
 */
export function mountFault(
  {
    baseUrl,
    routes,
    metadataPaths: [metadata],
  }: Pick<Auth, 'baseUrl' | 'routes' | 'metadataPaths'>,
  mountPath: string,
): ConfigError | undefined {
  const prefix = baseUrl.pathname.replace(/\/$/, '')
  const isUnder = (path: string, folder: string): boolean =>
    path.toLowerCase().startsWith(`${folder.toLowerCase()}/`)
  const faults = Object.entries(routes)
    .filter(([, path]) => path && !isUnder(path, mountPath) && !isUnder(path, prefix + mountPath))
    .map(([name, path]) => {
      const own = String(path).slice(prefix.length)
      return {
        option: `routes.${name}`,
        remedy: `is "${own}", which a router mounted at "${mountPath}" never sees. Write app.use(createAuthRouter(…)) without a path and set "routes.${name}" to "${mountPath}${own}", or put "${mountPath}" at the end of "baseUrl".`,
      }
    })
  // The metadata route begins with /.well-known, so it is not below the mount path of any router.
  if (metadata !== undefined && !isUnder(metadata, mountPath)) {
    const remedy = `has its metadata at "${metadata}", which a router mounted at "${mountPath}" never sees. Write app.use(createAuthRouter(…)) without a path.`
    faults.push({ option: 'resources', remedy })
  }
  return faults.length > 0 ? new ConfigError(faults) : undefined
}
