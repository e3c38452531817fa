import { setTimeout as sleep } from 'node:timers/promises'
import { migratePostgres } from '../../src/store/postgres/migrate.ts'
import { earlierRelease } from '../support/earlier-release.ts'
import { type Findings, verify } from './drills.ts'
import { type Field, startField } from './field.ts'
import { authorization, fetchOf, type Load, startLoad } from './load.ts'
import { releaseMail } from './mail-drill.ts'

/** How long a balancer may go on sending to a process that it was told to spare. */
const DRAIN_MS = 1_000

/** How {@link drillReleases} is run. */
export interface ReleasesDrill {
  clients: number
  /** How many of the four processes are replaced each time. Default: all. */
  replaced?: number
  /** How many requests that only read are sent each second, beside those of the clients. Default: none. */
  readsPerSecond?: number
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
  readsPerSecond = 0,
}: ReleasesDrill): Promise<Findings & { perSecond: number }> {
  const earlier = earlierRelease()
  await using field = await startField({ release: earlier })
  const begun = performance.now()
  const load = startLoad(field, clients)
  const readers = startReaders(field, load, readsPerSecond)
  await load.progress()
  await migratePostgres({ url: field.cluster.database.url })
  await load.progress()
  for (const release of [undefined, earlier, undefined]) {
    for (let n = 0; n < replaced; n++) await replaceOne(field, load, release)
    await load.progress()
  }
  await readers.stop()
  await load.stop()
  const perSecond = field.requests() / ((performance.now() - begun) / 1_000)
  await releaseMail(field)
  const { failures, lastFailure } = load.ledger
  if (failures > 0) throw new Error(`${failures} requests failed, the last one with ${lastFailure}`)
  return { ...(await verify(field, load.ledger)), perSecond }
}

/** Reads users, keys and pages at a fixed rate, whether earlier requests were answered or not. */
function startReaders(field: Field, { ledger }: Load, perSecond: number) {
  const fetch = fetchOf(field)
  const headers = { authorization: `Bearer ${field.apiKey}` }
  const requests: [url: string, init?: RequestInit][] = [
    [`${field.url}${field.tenant}/users?limit=1`, { headers }],
    [`${field.url}/oidc/jwks`],
    [authorization(field), { redirect: 'manual' }],
  ]
  const underWay = new Set<Promise<void>>()
  async function read(n: number): Promise<void> {
    const [url, init] = requests[n % requests.length] as (typeof requests)[0]
    try {
      await (await fetch(url, init)).arrayBuffer()
    } catch (error) {
      ledger.failures++
      ledger.lastFailure = `${url}: ${error}`
    }
  }
  const begun = performance.now()
  let sent = 0
  const sending = setInterval(() => {
    const due = ((performance.now() - begun) / 1_000) * perSecond
    for (; sent < due; sent++) {
      const one = read(sent).finally(() => underWay.delete(one))
      underWay.add(one)
    }
  }, 20)
  return {
    async stop() {
      clearInterval(sending)
      await Promise.all(underWay)
    },
  }
}

async function replaceOne({ cluster }: Field, load: Load, release?: string): Promise<void> {
  cluster.processes.push(await cluster.start(release))
  const old = cluster.processes.shift()
  await load.progress(1)
  await sleep(DRAIN_MS)
  await old?.stop()
}
