import { isLoopbackHost } from '../../domain/writes/addresses.ts'

/**
 * Parses the URL of the console: an https origin, or a plain http origin on a loopback host. At
 * other hosts, operators could not log in over http, because browsers keep the login cookies for
 * https.
 *
 * @returns The URL, or an error message.
 */
export function parseConsoleUrl(text: string): URL | string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || `${url.origin}/` !== url.href) {
    return 'It must be an address such as https://console.example.com.'
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    return `Operators log in over https: https://${url.host}. Plain http is for a console on this machine, such as http://localhost:4400.`
  }
  return url
}
