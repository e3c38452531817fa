/**
 * The URL of a route of an application, below the path of its base URL, as the kit makes it. The root is the base URL
 * itself. A whole URL stays as it is.
 */
export function urlBelow(baseUrl: string, path: string): string {
  if (path === '/') return new URL(baseUrl).href
  const below = new URL(baseUrl).pathname.replace(/\/$/, '')
  return new URL(URL.canParse(path) ? path : `${below}/${path.replace(/^\//, '')}`, baseUrl).href
}
