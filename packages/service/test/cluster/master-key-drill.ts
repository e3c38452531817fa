import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../../session-store/test/support/redis.ts'
import { temporaryFolder } from '../cli/support.ts'
import { type Serving, serveElsewhere } from '../store/serving.ts'
import { clusterKey } from '../support/cluster.ts'
import { type Findings, verify } from './drills.ts'
import type { Field } from './field.ts'
import { startLoad } from './load.ts'
import { releaseMail } from './mail-drill.ts'

/** What a new master key on one machine alone did. */
export interface MasterKeyFindings extends Findings {
  /** After how many seconds the other machine was not ready. */
  seconds: number
}

const MACHINES = ['one', 'two']

/** How often the balancer asks whether a process is ready. */
const CHECK_MS = 200

/**
 * Uses a new master key on one of two machines before the other has it, under load, then copies the file, and removes
 * the earlier key when everything is sealed under the new one.
 *
 * The processes of the field are replaced: afterwards they have a key of their own.
 */
export async function drillMasterKey(
  field: Field,
  { clients, each }: { clients: number; each: number },
): Promise<MasterKeyFindings> {
  using folder = temporaryFolder()
  const { cluster } = field
  const earlier = clusterKey.toString('base64')
  const newest = randomBytes(32).toString('base64')
  const [one, two] = MACHINES.map((name) => join(folder.path, name, 'master.key')) as [
    string,
    string,
  ]
  await Promise.all(cluster.processes.splice(0).map((process) => process.stop()))
  const start = async (file: string) => {
    mkdirSync(join(file, '..'))
    writeFileSync(file, `${earlier}\n`)
    const { masterKey: _, ...options } = cluster.options
    const all = Array.from({ length: each }, () =>
      serveElsewhere({ ...options, masterKeyFile: file }),
    )
    return Promise.all(all)
  }
  const first = await start(one)
  const second = await start(two)
  const all = [...first, ...second]
  cluster.processes.push(...all)
  await using _ = balanceByReadiness(field, all)

  const load = startLoad(field, clients)
  await load.progress()
  writeFileSync(one, `${newest}\n${earlier}\n`)
  const begun = performance.now()
  await until('the other machine is not ready', () => none(second), 30)
  const seconds = (performance.now() - begun) / 1_000
  await load.progress()
  if (!(await every(first))) throw new Error('The machine with the new key is not ready.')

  copyFileSync(one, two)
  await until('both machines are ready', () => every(all), 30)
  await load.progress()
  await until('everything is sealed under the new key', () => isAlone(field), 60)
  for (const file of [one, two]) writeFileSync(file, `${newest}\n`)
  await load.progress()
  await load.stop()
  await releaseMail(field)
  return { ...(await verify(field, load.ledger)), seconds }
}

/** As a balancer does: those that are not ready get no requests. */
function balanceByReadiness({ cluster }: Field, all: readonly Serving[]): AsyncDisposable {
  let isOver = false
  const running = (async () => {
    while (!isOver) {
      const checked = await Promise.all(all.map(isReady))
      cluster.processes.splice(0, Infinity, ...all.filter((_, n) => checked[n]))
      await new Promise((resolve) => setTimeout(resolve, CHECK_MS))
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      isOver = true
      await running
      cluster.processes.splice(0, Infinity, ...all)
    },
  }
}

async function isAlone({ cluster }: Field): Promise<boolean> {
  return (await cluster.database.query('select 1 from sealing_keys')).length === 1
}

async function isReady({ origin }: Serving): Promise<boolean> {
  return (await fetch(`${origin}/x/ready`)).status === 200
}

const every = async (processes: readonly Serving[]) =>
  (await Promise.all(processes.map(isReady))).every(Boolean)

const none = async (processes: readonly Serving[]) =>
  !(await Promise.all(processes.map(isReady))).some(Boolean)
