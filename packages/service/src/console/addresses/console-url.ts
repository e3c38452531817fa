import { isLoopbackHost } from '../../domain/writes/addresses.ts'

/**
 * Reads the address of the console: an origin over https, or over plain http on a loopback host. Operators could not log in
 * elsewhere over http, as browsers keep the cookies of the login for https.
 *
 * @returns The address, or the sentence about what is wrong with it.
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
