import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { earlierRelease } from '../../../packages/service/test/support/earlier-release.ts'
import { limit } from '../../../test/support/limits.ts'
import { createMachine, NEWEST } from './runbook-support.ts'

test('a data folder of the last release is upgraded and taken back as the runbook says', {
  timeout: limit(600),
}, async () => {
  const earlier = join(earlierRelease(), 'src/cli/main.ts')
  const machine = await createMachine('./data', { '0.2.0': earlier })
  machine.install('0.2.0')
  await machine.service('tenant', 'create', '--domain', 'login.example.com')
  machine.environment.VERSION = NEWEST
  expect(await machine.run('upgrade')).toContain('ready')
  await machine.service('tenant', 'create', '--domain', 'new.example.com')
  machine.environment.VERSION = '0.2.0'
  const copies = readdirSync(machine.folder).filter((name) => name.startsWith('before-upgrade-'))
  machine.environment.BEFORE = copies.join()
  expect(await machine.run('rollback')).toContain('ready')
  const tenants = await machine.service('tenant', 'list')
  expect(tenants).toContain('login.example.com')
  expect(tenants).not.toContain('new.example.com')
})
