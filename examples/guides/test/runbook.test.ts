import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../scripts/packages.ts'
import { createMachine, READY, status } from './runbook-support.ts'

test('the first day ends with a tenant, an invitation, a backup and a copy of the master key', async () => {
  const machine = await createMachine('./data')
  const printed = await machine.run('first-day')
  expect(printed).toContain(READY)
  expect(printed).toMatch(/ten_\w+\n/)
  expect(printed).toMatch(/^https:\/\/console\.example\.com\/\S+$/m)
  const [key = ''] = readdirSync(join(machine.folder, 'keys'))
  expect(readFileSync(join(machine.folder, 'keys', key))).toEqual(
    readFileSync(join(machine.folder, 'data/master.key')),
  )
  expect(readdirSync(join(machine.folder, 'backup'))).toHaveLength(1)
})

test('a restore puts the backup in the place of the data, and lists the operators who wait to be confirmed', async () => {
  const machine = await createMachine('./data')
  await machine.run('first-day')
  const [backup = ''] = readdirSync(join(machine.folder, 'backup'))
  machine.environment.BACKUP = `backup/${backup}`
  await machine.service('tenant', 'create', '--domain', 'lost.example.com')
  expect(await machine.run('restore')).toContain('ada@example.com')
  await expect.poll(() => status(machine)).toBe(200)
  const tenants = await machine.service('tenant', 'list')
  expect(tenants).toContain('login.example.com')
  expect(tenants).not.toContain('lost.example.com')
  // The same hour may see a second one, which leaves alone what the first one put aside.
  expect(await machine.run('restore')).toContain('ada@example.com')
  const aside = readdirSync(join(machine.folder, 'data')).filter((name) => /^replaced-/.test(name))
  expect(aside).toHaveLength(2)
  for (const name of aside) {
    expect(existsSync(join(machine.folder, 'data', name, 'data.db'))).toBe(true)
  }
})

test('the runbook says for each alarm which entry to follow', () => {
  const guide = readFileSync(join(root, 'docs/guides/runbook.md'), 'utf8')
  const alarms = readFileSync(join(root, 'examples/watching/alarms.yaml'), 'utf8')
  const names = [...alarms.matchAll(/alert: (\w+)/g)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !guide.includes(`| \`${name}\``))).toEqual([])
})
