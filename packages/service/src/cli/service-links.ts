import type { Command } from 'commander'

/** The variables of `serve` that Kubernetes also sets, for a Service named `latchkey` or `latchkey-metrics`. */
const PORTS = ['LATCHKEY_PORT', 'LATCHKEY_METRICS_PORT']

/** The form of the variable `<NAME>_PORT` that Kubernetes sets. */
const SERVICE_LINK = /^(tcp|udp|sctp):\/\/\S+:\d+$/

/**
 * Removes the addresses that Kubernetes sets in every Pod next to a Service named `latchkey`, before `serve` reads them
 * as its port. Prints this on stderr. Ports from an operator have another form, and stay.
 */
export function ignoreServiceLinks(program: Command): void {
  program.hook('preSubcommand', (_, command) => {
    if (command.name() !== 'serve') return
    for (const variable of PORTS) {
      const text = process.env[variable]
      if (text === undefined || !SERVICE_LINK.test(text)) continue
      delete process.env[variable]
      const service = variable
        .replace(/_PORT$/, '')
        .toLowerCase()
        .replace('_', '-')
      console.error(
        `${variable} is "${text}". Kubernetes sets it for the Service "${service}", so it is ignored. ` +
          'Set enableServiceLinks: false in the Pod.',
      )
    }
  })
}
