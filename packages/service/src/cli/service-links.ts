import type { Command } from 'commander'

/**
 * The variables of `serve` that Kubernetes also sets, for a Service named `latchkey` or
 * `latchkey-metrics`.
 */
const PORTS = ['LATCHKEY_PORT', 'LATCHKEY_METRICS_PORT']

/** The format of the values that Kubernetes gives to variables `<NAME>_PORT`. */
const SERVICE_LINK = /^(tcp|udp|sctp):\/\/\S+:\d+$/

/**
 * Removes the variables that Kubernetes sets in every Pod for a Service named `latchkey`, before
 * `serve` reads them as its ports. Prints a notice on stderr. Ports that an operator has set have
 * another format, and stay.
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
