import { drillClocks } from './clocks-drill.ts'
import { type Drill, drills, verify } from './drills.ts'
import { type Fault, faults } from './faults-drill.ts'
import type { Field } from './field.ts'
import { startLoad } from './load.ts'
import { drillMail } from './mail-drill.ts'
import { drillNoise } from './noise-drill.ts'
import { disturbances, drillNotices } from './notices-drill.ts'
import { changeOneUser } from './one-user.ts'
import { drillReleases } from './releases-drill.ts'
import { drillSizes } from './sizes-drill.ts'
import { drillWebhooks } from './webhooks-drill.ts'

/** How many processes are killed, and how many seconds PostgreSQL, Redis and a stopped process are gone. */
const KILLS = Number(process.env.KILLS ?? 10)
const SECONDS = Number(process.env.SECONDS ?? 6)
const times: Record<string, number> = { 'kill -9 of a process': KILLS }

const MAILS = 1_000
const CHANGES = 2_000
const NOTICES = 50
const APART = 60

/** The drill of webhooks: changes a second, and for how long. */
const RATE = Number(process.env.RATE ?? 20)
const MINUTES = Number(process.env.MINUTES ?? 2)
const ENDPOINTS = 500
const HANGING = 50

/** The part of the events that may arrive twice where a process is killed every 20 seconds. */
const MOST_TWICE = 0.001

/** At most a tenth of the rate of others is lost to a noisy API key. */
const LEAST_PART = 0.9

/** A drill in its long form: answers with what it counted. */
export type Run = (field: Field) => Promise<string>

/** Drills that leave the cluster as it was, so that they may share one. The last one leaves another master key. */
export const sharing: Record<string, Run> = {
  ...Object.fromEntries(
    Object.entries<Drill>(drills).map(([name, drill]) => [
      name,
      (field: Field) => breakAmidLoad(field, drill, times[name] ?? 1),
    ]),
  ),
  [`${CHANGES} changes of one user through four processes`]: async (field) => {
    await changeOneUser(field, CHANGES)
    return 'none lost, each with a time of its own'
  },
  ...Object.fromEntries(
    Object.entries(disturbances).map(([name, disturbance]) => [
      `${NOTICES} logout notices amid ${name}`,
      async (field: Field) => {
        const { slowest, twice } = await drillNotices(field, disturbance, NOTICES)
        return `none lost, ${twice} twice, the last one after ${slowest.toFixed(1)} s`
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries<Fault>(faults).map(([name, fault]) => [
      name,
      (field: Field) => fault(field, false),
    ]),
  ),
}

/** Drills that need a cluster of their own. */
export const apart: Record<string, Run> = {
  [`${MAILS} messages behind fifty that are refused, and ${MAILS} more amid two kill -9`]: async (
    field,
  ) => `none lost, ${await drillMail(field, { count: MAILS, isShort: false })} twice`,
  [`${APART} messages by processes whose clocks are minutes apart`]: async (field) => {
    const codes = await drillClocks(field, APART)
    return `none lost, late or twice; ${codes} of ${codes} codes redeemed`
  },
  'an API key that sends invalid requests, 32 at a time': disturbOthers,
  'the sizes that the guide states': drillSizes,
  [`${RATE} changes a second to ${ENDPOINTS} endpoints, ${HANGING} of which hang, amid kill -9`]:
    sendEvents,
}

/** Drills that start what they need. */
export const alone: Record<string, () => Promise<string>> = {
  'a rolling upgrade from the last release, and back': replaceRelease,
}

async function breakAmidLoad(field: Field, drill: Drill, count: number): Promise<string> {
  const load = startLoad(field, 2)
  await load.progress()
  let longest = 0
  for (let n = 0; n < count; n++) {
    await drill(field, load, SECONDS)
    const mended = performance.now()
    await load.progress(1, 120)
    longest = Math.max(longest, secondsSince(mended))
  }
  await load.stop()
  // Mail of a process that died is sent after a minute.
  const found = await verify(field, load.ledger, 180)
  const { users, codes, mails, twice, failures } = found
  return (
    `${count} times, ${users} users, ${codes} codes and ${mails} mails: none lost, ${twice} mails twice, ` +
    `${failures} failures; served again after at most ${longest.toFixed(1)} s`
  )
}

async function disturbOthers(field: Field): Promise<string> {
  const { part, p99, cores, saturated } = await drillNoise(field, {
    ...{ rounds: 3, seconds: 5, isSaturated: true },
  })
  const percent = (value = Number.NaN) => `${(value * 100).toFixed(0)} %`
  const found =
    `others keep ${percent(part)} of their rate, p99 ${p99.quiet.toFixed(0)} and ${p99.noisy.toFixed(0)} ms; ` +
    `the noise takes ${cores.toFixed(2)} cores; with no core left, others keep ${percent(saturated)}`
  if (part < LEAST_PART) throw new Error(found)
  return found
}

async function sendEvents(field: Field): Promise<string> {
  const found = await drillWebhooks(field, {
    ...{ endpoints: ENDPOINTS, hanging: HANGING, changesPerSecond: RATE },
    ...{ seconds: MINUTES * 60, killEverySeconds: 20, restartsPostgres: true },
  })
  const { committed, lost, twice, kills, failures, ...times } = found
  const waits = Object.entries(times).map(([what, ms]) => `${what} ${ms.toFixed(0)} ms`)
  const facts =
    `${committed} events, ${lost} lost, ${twice} twice, ${kills} kills, ${failures} requests without success; ` +
    waits.join(', ')
  if (lost > 0 || twice > committed * MOST_TWICE) throw new Error(facts)
  return facts
}

async function replaceRelease(): Promise<string> {
  const found = await drillReleases({ clients: 2, readsPerSecond: 200 })
  const { users, codes, mails, twice, failures, perSecond, notices, noticesTwice } = found
  if (noticesTwice > 0) throw new Error(`${noticesTwice} of ${notices} logouts have two notices`)
  return (
    `${users} users, ${codes} codes, ${mails} mails and ${notices} logout notices: none lost, ` +
    `${twice} mails twice, ${failures} failures at ${perSecond.toFixed(0)} requests/s`
  )
}

function secondsSince(begun: number): number {
  return (performance.now() - begun) / 1_000
}
