/** Whether a host only ever means this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  )
}

/**
 * An https URL, or plain http on a loopback host, with nothing but an origin and a path.
 *
 * @param insecureHosts - More hosts on which plain http will do.
 */
export function isUsableUrl(url: URL | undefined, insecureHosts: readonly string[] = []): boolean {
  if (!url || url.search || url.hash || url.username || url.password) return false
  if (url.protocol !== 'http:') return url.protocol === 'https:'
  return isLoopbackHost(url.hostname) || insecureHosts.includes(url.hostname)
}
