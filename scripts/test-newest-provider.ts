import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './run.ts'

/**
 * Runs tests of the issuer on the newest published oidc-provider, so that an upgrade is known the day it appears:
 * `npx pnpm test:provider`. A word picks another version. It is installed into a folder of its own, and the
 * version of the lockfile stays. If the registry cannot be reached, a line says so; in continuous integration, it fails.
 */
const [version = 'latest'] = process.argv.slice(2)

/** Every member that is replaced, a login, a refresh, a pushed request and DPoP proofs. */
const FILES = ['engine/', 'login.test', 'repeated-refresh', 'used-once', 'fapi', 'browser-binding']

const folder = mkdtempSync(join(tmpdir(), 'latchkey-provider-'))
try {
  const options = ['install', '--no-audit', '--no-fund', '--prefix', folder]
  const { code, output } = await run('npm', [...options, `oidc-provider@${version}`])
  if (code === 0) await testWith(join(folder, 'node_modules/oidc-provider'))
  else {
    const reason =
      /npm error (?:\w*Error:|\w*notarget|404|network) (.+)/.exec(output)?.[1] ??
      `npm ended with ${code}`
    console.log(`oidc-provider ${version} was not tried: npm cannot install it (${reason}).`)
    if (process.env.CI) process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true })
}

/** Runs the tests with the oidc-provider in a folder. */
async function testWith(found: string): Promise<void> {
  const own = versionIn('packages/service/node_modules/oidc-provider')
  const other = versionIn(found)
  const news = own === other ? 'the version of the service' : `the service has ${own}`
  console.log(`Tests on oidc-provider ${other} (${news}).`)
  const paths = FILES.map((file) => `packages/service/test/issuer/${file}`)
  const env = { ...process.env, LATCHKEY_OIDC_PROVIDER: found }
  const { code, output } = await run('vitest', ['run', ...paths], { env })
  console.log(output)
  if (code === 0) return
  process.exitCode = 1
  console.log(`The issuer does not work on oidc-provider ${other}: see the tests above.`)
}

function versionIn(provider: string): string {
  return JSON.parse(readFileSync(join(provider, 'package.json'), 'utf8')).version
}
