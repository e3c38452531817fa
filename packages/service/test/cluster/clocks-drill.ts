import { until } from '../../../session-store/test/support/redis.ts'
import { serveElsewhere } from '../store/serving.ts'
import type { Field } from './field.ts'
import { startLoad } from './load.ts'
import { addresses, queue } from './mail-drill.ts'

/** The seconds by which the clocks of the four machines are ahead. */
const CLOCKS = [-120, 0, 0, 120]

/** How many codes are redeemed, most of them by another process than the one that gave them out. */
const CODES = 20

/**
 * Sends mail through processes whose clocks differ, and logs users in at them.
 *
 * @returns How many codes were redeemed.
 * @throws when a message is late or arrives more than once, or a login fails.
 */
export async function drillClocks(field: Field, count: number): Promise<number> {
  const { cluster, mailbox } = field
  await Promise.all(cluster.processes.splice(0).map((one) => one.stop()))
  const start = (clockSeconds: number) => serveElsewhere({ ...cluster.options, clockSeconds })
  cluster.processes.push(...(await Promise.all(CLOCKS.map(start))))
  const load = startLoad(field, 1)
  await load.progress(CODES, 90)
  await load.stop()
  if (load.ledger.wrong.length > 0) throw new Error(load.ledger.wrong.join('\n'))
  const all = addresses('slow', count)
  // A few at a time, so that some process has nothing to do while another one sends.
  for (let n = 0; n < count; n += 3) {
    const some = all.slice(n, n + 3)
    await queue(field, some)
    await until('mail arrives', () => some.every((address) => mailbox.has(address)), 30)
  }
  const often = all.filter((address) => mailbox.get(address) !== 1)
  if (often.length > 0) throw new Error(`Sent more than once: ${often}`)
  return load.ledger.done.codes
}
