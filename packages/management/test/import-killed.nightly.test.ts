import { once } from 'node:events'
import { createManagementClient } from '@latchkey/management'
import { expect, test } from 'vitest'
import { startInstallation } from './support/command.ts'
import { createLogIn } from './support/log-in.ts'
import {
  allUsers,
  expectMapped,
  killAfter,
  oldTable,
  PASSWORD,
  write,
} from './support/old-table.ts'
import { startSpecServer } from './support/spec-server.ts'

test('an import that is killed again and again ends with every row exactly once, and old passwords log in', async () => {
  await using installation = await startInstallation()
  const rows = 800
  const file = write(installation, 'users.csv', oldTable(rows))
  for (let kill = 1; kill <= 4; kill++) {
    const child = installation.start(['users', 'import', file])
    await killAfter(child, installation, 1 + Math.floor(Math.random() * 60))
  }
  expect((await allUsers(installation)).length).toBeLessThan(rows)
  const last = await installation.run(['users', 'import', file])
  expect(last).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${rows} imported, 0 rej`),
  })

  await expectMapped(installation, rows)
  const logIn = await createLogIn(installation)
  for (const [email, password] of [
    ['user-7@example.com', PASSWORD],
    ['user-40@example.com', 'secret 40'],
    ['user-799@example.com', PASSWORD],
  ] as const) {
    expect(await logIn(email, password)).toMatch(/localhost:3000\/callback\?.*code=/)
  }
  expect(await logIn('user-8@example.com', 'wrong')).toBe('')
})

test('a killed import creates no user twice on a server that allows equal addresses', async () => {
  await using installation = await startInstallation()
  await using server = await startSpecServer()
  const { url, apiKey, tenantId } = server
  const env = { LATCHKEY_URL: url, LATCHKEY_API_KEY: apiKey }
  const rows = 900
  const file = write(installation, 'users.csv', oldTable(rows))
  const client = createManagementClient({ baseUrl: url, apiKey })
  const users = client.users(tenantId)
  for (const enough of [150, 420, 700]) {
    const child = installation.start(['users', 'import', file], env)
    while ((await users.page()).total < enough) await new Promise((r) => setTimeout(r, 5))
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  const child = installation.start(['users', 'import', file], env)
  expect(await once(child, 'exit')).toEqual([0, null])
  const emails = (await Array.fromAsync(users.list())).map(({ profile }) => profile.email)
  expect(emails.sort()).toEqual(
    Array.from({ length: rows }, (_, n) => `user-${n}@example.com`).sort(),
  )
})
