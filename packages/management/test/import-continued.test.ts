import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManagementClient } from '@latchkey/management'
import { expect, test } from 'vitest'
import { type Installation, startInstallation } from './support/command.ts'
import { expectMapped, oldTable, write } from './support/old-table.ts'
import { startProxy } from './support/proxy.ts'

/** The entries of the journal of `users.csv`, without its header. */
function journaled({ folder }: Installation): string[] {
  const journal = join(folder, 'users.csv.journal')
  return existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n').slice(1) : []
}

test.each([
  ['many users in a request', 'pass', 1],
  ['one', 'hide', 4],
] as const)(
  'an import of %s with a key that may only read rejects no row, and continues with another key',
  async (_, fate, code) => {
    await using installation = await startInstallation()
    await using proxy = await startProxy(installation.url, (path) =>
      path.startsWith('/x/') ? fate : 'pass',
    )
    const { service, tenantId, run } = installation
    const input = { name: 'reads', reach: [tenantId], readOnly: true }
    const { secret } = await service.admin.createApiKey(input)
    const file = write(installation, 'users.csv', oldTable(3))
    const refused = await run(['users', 'import', file], '', {
      ...{ LATCHKEY_URL: proxy.url, LATCHKEY_API_KEY: secret },
    })
    expect([refused.code, refused.stderr]).toEqual([
      code,
      expect.stringContaining('This API key is read-only'),
    ])
    expect(journaled(installation)).toEqual([])
    const users = createManagementClient({ baseUrl: proxy.url, apiKey: secret }).users(tenantId)
    const imported = Array.fromAsync(users.import([{ profile: { email: 'ada@example.com' } }]))
    await expect(imported).rejects.toMatchObject({ code: 'not_permitted' })

    expect(await run(['users', 'import', file])).toMatchObject({ code: 0 })
    await expectMapped(installation, 3)
  },
)
