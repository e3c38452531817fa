import { setTimeout as sleep } from 'node:timers/promises'
import { migratePostgres } from '../../src/store/postgres/migrate.ts'
import { earlierRelease } from '../support/earlier-release.ts'
import { type Findings, verify } from './drills.ts'
import { type Field, startField } from './field.ts'
import { type Load, startLoad } from './load.ts'
import { releaseMail } from './mail-drill.ts'

/** How long a balancer may go on sending to a process that it was told to spare. */
const DRAIN_MS = 1_000

/**
 * Replaces all processes of the last release by those of this one under load, through the migration, back, and forth
 * again.
 *
 * @throws when a request fails, or when anything that was acknowledged is lost.
 */
export async function drillReleases(clients = 2): Promise<Findings> {
  const earlier = earlierRelease()
  await using field = await startField({ release: earlier })
  const load = startLoad(field, clients)
  await load.progress()
  await migratePostgres({ url: field.cluster.database.url })
  await load.progress()
  for (const release of [undefined, earlier, undefined]) await replaceAll(field, load, release)
  await load.stop()
  await releaseMail(field)
  const { failures, lastFailure } = load.ledger
  if (failures > 0) throw new Error(`${failures} requests failed, the last one with ${lastFailure}`)
  return await verify(field, load.ledger)
}

async function replaceAll({ cluster }: Field, load: Load, release?: string): Promise<void> {
  for (const _ of [...cluster.processes]) {
    cluster.processes.push(await cluster.start(release))
    const old = cluster.processes.shift()
    await load.progress(1)
    await sleep(DRAIN_MS)
    await old?.stop()
  }
  await load.progress()
}
