import { randomBytes } from 'node:crypto'
import { hash as bcrypt, verify } from '@node-rs/bcrypt'
import {
  matchesVerifier,
  type Verifier,
} from '../packages/service/src/domain/users/legacy-verifier.ts'
import { median, row } from './parts/numbers.ts'

/**
 * The cost of a login with the hash of another system, beside bcrypt at the cost of the service: what a wrong password takes more in a tenant
 * that has such a hash.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 8)
const { ONLY } = process.env

const bytes = (length: number) => randomBytes(length).toString('base64')
const pbkdf2 = (
  digest: 'sha1' | 'sha256' | 'sha512',
  rounds: number,
  length: number,
): Verifier => ({
  ...{ kind: 'pbkdf2', digest, rounds, salt: bytes(16), hash: bytes(length) },
})
const argon2 = (memoryMib: number, passes: number, lanes: number): Verifier => ({
  ...{ kind: 'argon2', variant: 'id', version: 19, memoryKib: memoryMib * 1024, passes, lanes },
  ...{ salt: bytes(16), hash: bytes(32) },
})
const kinds: Record<string, Verifier> = {
  'PBKDF2: Django 5.2, 1,000,000': pbkdf2('sha256', 1_000_000, 32),
  'PBKDF2: the bound, 2,000,000': pbkdf2('sha256', 2_000_000, 32),
  'PBKDF2: Keycloak, SHA-512, 210,000': pbkdf2('sha512', 210_000, 64),
  'PBKDF2: ASP.NET, SHA-512, 100,000': pbkdf2('sha512', 100_000, 32),
  'phpass: WordPress, 2^13': {
    kind: 'phpass',
    log2Rounds: 13,
    salt: 'saltsalt',
    hash: 'x'.repeat(22),
  },
  'bcrypt: WordPress 6.8, cost 10': {
    kind: 'wordpress',
    hash: '$2y$10$abcdefghijklmnopqrstuuA.NtWkdu8VmWC3ClnWUEHy4fqZrKNuK',
  },
  'scrypt: Firebase, 2^14, 8': {
    ...{ kind: 'firebase', memCost: 14, rounds: 8, salt: bytes(8), separator: 'Bw==' },
    hash: bytes(64),
  },
  'Argon2: Keycloak, 7 MiB, 5 passes': argon2(7, 5, 1),
  'Argon2: Django, 100 MiB, 2, 8 lanes': argon2(100, 2, 8),
  'Argon2: Laravel, 64 MiB, 4 passes': argon2(64, 4, 1),
  'Argon2: the bound, 256 MiB, 4': argon2(256, 4, 1),
}

/** The milliseconds of a call, of the clock and of the processors. */
async function timed(call: () => Promise<unknown>): Promise<{ clock: number; cpu: number }> {
  const [begun, used] = [performance.now(), process.cpuUsage()]
  await call()
  const { user, system } = process.cpuUsage(used)
  return { clock: performance.now() - begun, cpu: (user + system) / 1_000 }
}

const standard = await bcrypt('correct horse', { cost: 10 })
console.log(row('medians', 'ms', 'ms of CPU', 'CPU of bcrypt', 'ratio'))
for (const [name, verifier] of Object.entries(kinds)) {
  if (ONLY && !name.startsWith(ONLY)) continue
  const key = bytes(64)
  const check = () => matchesVerifier(verifier, 'correct horse', key)
  await check()
  const found: Awaited<ReturnType<typeof timed>>[] = []
  const beside: typeof found = []
  for (let round = 0; round < ROUNDS; round++) {
    found.push(await timed(check))
    beside.push(await timed(() => verify('wrong horse', standard)))
  }
  const [cpu, other] = [found, beside].map((all) => median(all.map((one) => one.cpu)))
  const clock = median(found.map((one) => one.clock))
  console.log(row(name, clock, cpu ?? 0, other ?? 0, (cpu ?? 0) / (other ?? 1)))
}
