import { styleText } from 'node:util'
import { type Drill, drills, verify } from '../packages/service/test/cluster/drills.ts'
import { drillNoise, faults } from '../packages/service/test/cluster/faults-drill.ts'
import { startField } from '../packages/service/test/cluster/field.ts'
import { startLoad } from '../packages/service/test/cluster/load.ts'
import { drillClocks, drillMail } from '../packages/service/test/cluster/mail-drill.ts'
import { disturbances, drillNotices } from '../packages/service/test/cluster/notices-drill.ts'
import { changeOneUser } from '../packages/service/test/cluster/one-user.ts'
import { drillReleases } from '../packages/service/test/cluster/releases-drill.ts'

/**
 * Breaks a cluster amid load, for longer and more often than the tests do: `npx pnpm test:drills`. A word picks
 * drills. KILLS is how many processes are killed, SECONDS how long PostgreSQL, Redis and a stopped process are
 * gone.
 */
const KILLS = Number(process.env.KILLS ?? 20)
const SECONDS = Number(process.env.SECONDS ?? 10)
const times: Record<string, number> = { 'kill -9 of a process': KILLS }

const MAILS = 1_000
const CHANGES = 2_000
const NOTICES = 50
const APART = 60

const [word = ''] = process.argv.slice(2)
for (const [name, drill] of Object.entries<Drill>(drills)) {
  if (name.includes(word)) await report(name, () => breakAmidLoad(drill, times[name] ?? 1))
}
const mail = `${MAILS} messages behind fifty that are refused, and ${MAILS} more amid two kill -9`
if (mail.includes(word)) await report(mail, sendMail)
const changes = `${CHANGES} changes of one user through four processes`
if (changes.includes(word)) await report(changes, changeUser)
const releases = 'a rolling upgrade from the last release, and back'
if (releases.includes(word)) await report(releases, replaceRelease)
const clocks = `${APART} messages by processes whose clocks are minutes apart`
if (clocks.includes(word)) await report(clocks, sendMailApart)
for (const [name, disturbance] of Object.entries(disturbances)) {
  const notices = `${NOTICES} logout notices amid ${name}`
  if (notices.includes(word)) await report(notices, () => sendNotices(disturbance))
}

for (const [name, fault] of Object.entries(faults)) {
  if (name.includes(word)) await report(name, () => cause(fault))
}
const noise = 'an API key that sends invalid requests, 32 at a time'
if (noise.includes(word)) await report(noise, disturbOthers)

async function cause(fault: (typeof faults)[keyof typeof faults]): Promise<string> {
  await using field = await startField()
  return await fault(field)
}

/** At most a tenth of their rate. */
const LEAST_PART = 0.9

async function disturbOthers(): Promise<string> {
  await using field = await startField()
  const part = await drillNoise(field, { rounds: 7, seconds: 5 })
  const found = `the writes of others have ${(part * 100).toFixed(0)} % of their rate`
  if (part < LEAST_PART) throw new Error(found)
  return found
}

async function breakAmidLoad(drill: Drill, count: number): Promise<string> {
  await using field = await startField()
  const load = startLoad(field, 2)
  await load.progress()
  let longest = 0
  for (let n = 0; n < count; n++) {
    await drill(field, load, SECONDS)
    const mended = performance.now()
    await load.progress(1, 120)
    longest = Math.max(longest, (performance.now() - mended) / 1_000)
  }
  await load.stop()
  // Mail of a process that died is sent after a minute.
  const found = await verify(field, load.ledger, 180)
  const facts = Object.entries(found).map(([what, number]) => `${number} ${what}`)
  return `${count} times, ${facts.join(', ')}; served again after at most ${longest.toFixed(1)} s`
}

async function sendMail(): Promise<string> {
  await using field = await startField()
  const twice = await drillMail(field, { count: MAILS, isShort: false })
  return `none lost, ${twice} twice`
}

async function replaceRelease(): Promise<string> {
  const found = await drillReleases({ clients: 4 })
  const { users, codes, mails, twice, failures, perSecond } = found
  return `${users} users, ${codes} codes, ${mails} mails, ${twice} twice, ${failures} failures at ${perSecond.toFixed(0)} requests/s`
}

async function sendMailApart(): Promise<string> {
  await using field = await startField()
  await drillClocks(field, APART)
  return 'none lost, late or twice'
}

async function changeUser(): Promise<string> {
  await using field = await startField()
  await changeOneUser(field, CHANGES)
  return 'none lost, each with a time of its own'
}

async function sendNotices(disturbance: Parameters<typeof drillNotices>[1]): Promise<string> {
  await using field = await startField()
  const { slowest, twice } = await drillNotices(field, disturbance, NOTICES)
  return `none lost, ${twice} twice, the last one after ${slowest.toFixed(1)} s`
}

async function report(name: string, run: () => Promise<string>): Promise<void> {
  const begun = performance.now()
  try {
    const found = await run()
    const took = ((performance.now() - begun) / 1_000).toFixed(0)
    console.log(`${styleText('green', 'ok')}  ${name}, ${took} s: ${found}`)
  } catch (error) {
    console.log(`${styleText('red', 'FAILED')}  ${name}:\n${(error as Error).message}`)
    process.exitCode = 1
  }
}
