import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { createIdentityService } from '@latchkey/service'
import { expect, test, vi } from 'vitest'
import { root } from '../../../scripts/packages.ts'
import { freePort } from '../../shared/src/free-port.ts'

const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8')

/** The commands of a guide, as the scripts of this repository that they name. */
function commandsOf(name: string, given: Record<string, string>): string {
  const { scripts } = JSON.parse(read('package.json'))
  const { scripts: own } = JSON.parse(read('examples/guides/package.json'))
  const { latchkey } = scripts
  const receiver = own['webhook-receiver'].replace(' src/', ' examples/guides/src/')
  return Object.entries({
    'npx pnpm latchkey': latchkey,
    'npx pnpm --filter example-guides run webhook-receiver': receiver,
    ...given,
  }).reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    read(`examples/guides/shell/webhooks-${name}.sh`),
  )
}

test('by the commands of the guide, the receiver gets a test and the event of a disabled user', async () => {
  const port = await freePort(5050)
  await using service = await createIdentityService({ allowDeveloperMode: true })
  const { port: served } = await service.listen()
  const url = `http://127.0.0.1:${served}`
  const { id } = await service.admin.createTenant({
    domain: 'login.example.com',
    settings: { developerMode: true },
  })
  const { secret: apiKey } = await service.admin.createApiKey({ name: 'guide', reach: [id] })
  const created = await fetch(`${url}/v1/tenants/${id}/users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ profile: { email: 'ada@example.com' } }),
  })
  const user = (await created.json()) as { id: string }
  const env = {
    ...process.env,
    LATCHKEY_URL: url,
    LATCHKEY_API_KEY: apiKey,
    LATCHKEY_TENANT: id,
    PORT: String(port),
  }
  const run = async (name: string, given: Record<string, string>) => {
    const script = commandsOf(name, given)
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], { cwd: root, env })
    return stdout
  }

  const added = await run('add', { '5050': String(port) })
  const [webhook = ''] = /whk_\w+/.exec(added) ?? []
  const [secret = ''] = /whsec_\S+/.exec(added) ?? []
  const receive = commandsOf('receive', {
    'whsec_…': secret,
    WEBHOOK_SECRET: 'exec env WEBHOOK_SECRET',
  })
  const receiver = spawn('bash', ['-euc', receive], {
    ...{ cwd: root, env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  receiver.stdout.on('data', (data) => {
    printed += data
  })
  await vi.waitFor(() => expect(printed).toContain('Waiting for events'))
  const listed = await run('try', {
    '<id of the endpoint>': webhook,
    '<id of a user>': user.id,
  })
  expect(listed).toContain(user.id)
  await vi.waitFor(() =>
    expect(printed).toMatch(/\nwebhook\.test \S+\n(.*\n)*user\.disabled usr_\w+\n/),
  )
  receiver.kill()
  await once(receiver, 'exit')
})
