import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { middlewareAdapters } from '../scripts/packages.ts'
import { median, row } from './parts/numbers.ts'
import { installInto, must, packTarballs, versionIn } from './parts/tarballs.ts'

/**
 * The cost of installing and importing each adapter, with and without the session store for Redis:
 * each in an empty folder as npm installs it, from packed tarballs, beside its framework alone.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 9)
const FRAMEWORKS = middlewareAdapters().map(({ name }) => name)
const STORE = '@latchkey/session-store'
const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
const versions = await packTarballs(folder, [])
for (const framework of FRAMEWORKS) {
  versions[framework] = versionIn(`packages/${framework}`, framework)
}

const program = `
  for (const name of process.argv.slice(1)) await import(name)
  const { user, system } = process.cpuUsage()
  console.log((user + system) / 1000)
`

async function install(names: readonly string[]) {
  const cwd = join(folder, names.join('+').replaceAll('/', '-'))
  mkdirSync(cwd)
  return { names, cwd, ...(await installInto(cwd, names, versions)), cpu: [] as number[] }
}

console.log(row('beyond the framework', 'import, CPU ms', 'MB installed', 'packages'))
for (const framework of FRAMEWORKS) {
  const adapter = `@latchkey/${framework}`
  const all = [
    await install([framework]),
    await install([framework, adapter]),
    await install([framework, adapter, STORE]),
  ] as const
  for (let round = 0; round < ROUNDS; round++) {
    for (const { names, cwd, cpu } of all) {
      const args = ['--input-type=module', '--eval', program, ...names]
      cpu.push(Number(await must('node', args, cwd)))
    }
  }
  const [bare, ...ours] = all
  for (const { names, cpu, megabytes, packages } of ours) {
    const beyond = median(cpu.map((ms, round) => ms - (bare.cpu[round] ?? Number.NaN)))
    const name = names.slice(1).join(' + ')
    console.log(row(name, beyond, megabytes - bare.megabytes, packages - bare.packages))
  }
}
rmSync(folder, { recursive: true })
