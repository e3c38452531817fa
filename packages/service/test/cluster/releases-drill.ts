import { setTimeout as sleep } from 'node:timers/promises'
import { migratePostgres } from '../../src/store/postgres/migrate.ts'
import { earlierRelease } from '../support/earlier-release.ts'
import { type Findings, verify } from './drills.ts'
import { type Field, startField } from './field.ts'
import { type Load, startLoad } from './load.ts'
import { releaseMail } from './mail-drill.ts'

/** How long a balancer may go on sending to a process that it was told to spare. */
const DRAIN_MS = 1_000

/** How {@link drillReleases} is run. */
export interface ReleasesDrill {
  clients: number
  /** How many of the four processes are replaced each time. Default: all. */
  replaced?: number
}

/**
 * Replaces processes of the last release by those of this one under load, through the migration, back, and forth
 * again.
 *
 * @throws when a request fails, or when anything that was acknowledged is lost.
 */
export async function drillReleases({
  clients,
  replaced = 4,
}: ReleasesDrill): Promise<Findings & { perSecond: number }> {
  const earlier = earlierRelease()
  await using field = await startField({ release: earlier })
  const begun = performance.now()
  const load = startLoad(field, clients)
  await load.progress()
  await migratePostgres({ url: field.cluster.database.url })
  await load.progress()
  for (const release of [undefined, earlier, undefined]) {
    for (let n = 0; n < replaced; n++) await replaceOne(field, load, release)
    await load.progress()
  }
  await load.stop()
  const perSecond = field.requests() / ((performance.now() - begun) / 1_000)
  await releaseMail(field)
  const { failures, lastFailure } = load.ledger
  if (failures > 0) throw new Error(`${failures} requests failed, the last one with ${lastFailure}`)
  return { ...(await verify(field, load.ledger)), perSecond }
}

async function replaceOne({ cluster }: Field, load: Load, release?: string): Promise<void> {
  cluster.processes.push(await cluster.start(release))
  const old = cluster.processes.shift()
  await load.progress(1)
  await sleep(DRAIN_MS)
  await old?.stop()
}
