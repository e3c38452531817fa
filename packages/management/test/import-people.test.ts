import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createManagementClient } from '@latchkey/management'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Installation, startInstallation } from './support/command.ts'
import { type Answer, exports } from './support/exports.ts'
import { createLogIn } from './support/log-in.ts'

let installation: Installation

beforeAll(async () => {
  installation = await startInstallation()
})

afterAll(() => installation[Symbol.asyncDispose]())

/** A tenant in which an address has to be confirmed, with a key of its own. */
async function aTenant(product: string) {
  const { service, url } = installation
  const name = product.toLowerCase().replaceAll(/[^a-z]/g, '')
  const domain = `${name}.localhost:${new URL(url).port}`
  const { id } = await service.admin.createTenant({ domain })
  const { secret } = await service.admin.createApiKey({ name: 'tests', reach: [id] })
  return { url, key: secret, tenantId: id, domain }
}

test.each(exports)(
  'of people from $product, those who are shut out cannot log in and the others can',
  async ({ product, text, args = [], people }) => {
    const where = await aTenant(product)
    const { tenantId, key, url } = where
    const file = `${tenantId}.export`
    writeFileSync(join(installation.folder, file), text)
    const run = ['users', 'import', file, '--api-key', key, ...args]
    const { code, stdout, stderr } = await installation.run(run)
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('0 rejected')])

    const client = createManagementClient({ baseUrl: url, apiKey: key })
    const users = await Array.fromAsync(client.users(tenantId).list())
    const logIn = await createLogIn(where)
    const answers: Record<string, Answer> = {}
    for (const { id, profile, disabled } of users) {
      const credentials = client.credentials(tenantId, id)
      if ((await credentials.page()).total === 0) {
        await credentials.create({ password: { alg: 'plain', hash: 'correct horse' } })
      }
      const isIn = (await logIn(profile.email, 'correct horse')).includes('code=')
      const isShutOut: Answer = disabled ? 'is shut out' : 'confirms the address'
      answers[profile.email.split('@')[0] ?? ''] = isIn ? 'logs in' : isShutOut
    }
    expect(answers).toEqual(people)
  },
)
