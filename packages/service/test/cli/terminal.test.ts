import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createIdentityService } from '@latchkey/service'
import { expect, test } from 'vitest'
import { run, temporaryFolder } from './support.ts'

const NAME = 'Acme\u001b]0;owned\u0007\u009b31m\u202eevil\u200b\nrow 2'

test('no name of a tenant or a key sends control sequences to the operator’s terminal', async () => {
  using folder = temporaryFolder()
  const data = ['--data', folder.path]
  const service = await createIdentityService({ data: folder.path })
  await service.admin.createTenant({ domain: 'login.example.com', name: NAME })
  const { key } = await service.admin.createApiKey({ name: NAME, reach: 'all' })
  await service.close()

  for (const args of [['tenant', 'list'], ['key', 'list'], ['audit']]) {
    for (const format of [[], ['--json']]) {
      const { code, stdout } = await run([...args, ...data, ...format])
      expect(code).toBe(0)
      if (args[0] !== 'audit') expect(stdout).toContain('owned')
      expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\u202e\u200b]/u)
      expect(stdout).not.toMatch(/^row 2/m)
      if (format.length > 0 && args[0] !== 'audit') expect(JSON.parse(stdout)[0].name).toBe(NAME)
    }
  }
  expect((await run(['key', 'revoke', key.id, ...data])).stdout).not.toMatch(
    /(?!\n)[\p{Cc}\u202e]/u,
  )
})

test('no error message sends control sequences to the operator’s terminal', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'seed.json')
  writeFileSync(file, '{"\u009b31m\u202e')
  const commands = [
    ['seed', file, '--data', folder.path],
    ['serve', '--data', folder.path, '--tls-cert', '\u001b[2J.pem', '--tls-key', 'key.pem'],
    ['tenant', 'list', '--data', folder.path, '--\u001b[2J'],
  ]
  for (const args of commands) {
    const { code, stderr } = await run(args)
    expect(code).not.toBe(0)
    expect(stderr).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u)
  }
})
