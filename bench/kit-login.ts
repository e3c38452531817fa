import { type Child, start } from './parts/child.ts'
import { loginKits } from './parts/login-kits.ts'
import { median, row } from './parts/numbers.ts'
import { createVisitor, type Visitor } from './parts/visitor.ts'

/**
 * The cost of a login: CPU of the application from its login route to the session, sessions in the
 * process, the provider in another one that logs everybody in at once. The bare ones are the least that
 * a login takes which verifies its ID token.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 7)
const LOGINS = Number(process.env.LOGINS ?? 500)
/**
 * Logins before the first round: until about here, code is compiled with optimizations. Beyond 10,000, Latchkey's
 * sessions in memory and its caches are full, so that each login drops an older one.
 */
const WARM_UP = Number(process.env.WARM_UP ?? 20_000)

interface Contestant {
  readonly name: string
  readonly child: Child
  readonly visitor: Visitor
  cpu: number[]
}

const provider = await start('provider')
const contestants: Contestant[] = []
for (const name of process.env.ONLY?.split(';') ?? loginKits) {
  const child = await start('kit', name, `http://127.0.0.1:${provider.port}`)
  contestants.push({ name, child, visitor: createVisitor(child.port), cpu: [] })
}

async function logIn({ visitor }: Contestant, count: number, concurrency: number): Promise<void> {
  let left = count
  const work = async () => {
    while (left-- > 0) await visitor.logIn()
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}

async function measure(one: Contestant, concurrency: number): Promise<void> {
  const before = await one.child.cpu()
  await logIn(one, LOGINS, concurrency)
  one.cpu.push((((await one.child.cpu()) - before) / LOGINS) * 1000)
}

for (const one of contestants) await logIn(one, WARM_UP, 16)
for (const concurrency of [16, 1]) {
  for (const one of contestants) await measure(one, concurrency)
  for (const one of contestants) one.cpu = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of contestants) await measure(one, concurrency)
  }
  console.log(row(`${concurrency} at a time`, 'CPU ms'))
  for (const { name, cpu } of contestants) console.log(row(name, median(cpu)))
}
for (const { child, visitor } of contestants) {
  visitor.close()
  await child.stop()
}
await provider.stop()
