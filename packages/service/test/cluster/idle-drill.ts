import { setTimeout as sleep } from 'node:timers/promises'
import { countPostgres } from '../../../../test/support/counting-proxy.ts'
import { serveElsewhere } from '../store/serving.ts'
import type { Field } from './field.ts'

/** How long a process has for what it does once after its start. */
const SETTLE_MS = 5_000

/** Answers which statements one more process sends to PostgreSQL while it gets no requests. */
export async function idleStatements({ cluster }: Field, seconds: number): Promise<string[]> {
  const url = new URL(cluster.database.url)
  await using proxy = await countPostgres(Number(url.port), () => false)
  url.port = String(proxy.port)
  const one = await serveElsewhere({ ...cluster.options, database: url.href })
  try {
    await sleep(SETTLE_MS)
    const { commands } = await proxy.count(() => sleep(seconds * 1_000))
    return commands
  } finally {
    await one.kill()
  }
}
