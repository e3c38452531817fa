import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { commandEnv } from '../../../../test/support/command-env.ts'
import { main } from '../cli/support.ts'
import { on, startConsole } from './support.ts'
import { aTenant } from './tenant.ts'

const programs: Record<string, string> = {
  'latchkey-service': main,
  latchkey: fileURLToPath(new URL('../../../management/src/cli/main.ts', import.meta.url)),
}

/** The words of a command, as a shell would split them. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/(?:"[^"]*"|[^\s"])+/g)].map(([word]) => word.replaceAll('"', ''))
}

async function run(command: string, env: Record<string, string>) {
  const [name = '', ...args] = wordsOf(command)
  const child = spawn(
    process.execPath,
    ['--conditions=latchkey-source', programs[name] ?? '', ...args],
    {
      env: {
        ...commandEnv,
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  return `${command}: ${code === 0 ? 'works' : stderr}`
}

test('the commands that pages about users, mail, the audit log and the system show run as printed', async () => {
  const options = on('SQLite')
  await using running = await startConsole(options)
  const { port } = await running.service.listen({ port: 0 })
  const { secret } = await running.service.admin.createApiKey({ name: 'cli', reach: 'all' })
  const tenant = await aTenant(running)
  const ada = await tenant.addUser({ email: 'grace@example.com' }, '')
  const users = `/x/v1/tenants/${tenant.id}/users/${ada.id}`
  await tenant.call('POST', `${users}/mails`, { kind: 'invite' })
  const owner = await running.logIn({ role: 'owner' })
  const [created] = await running.service.admin.audit({ target: ada.id })
  const [key] = (await running.service.admin.audit()).filter(
    ({ action }) => action === 'api_key.create',
  )
  const env = {
    LATCHKEY_DATA: options.data ?? '',
    LATCHKEY_URL: `http://127.0.0.1:${port}`,
    LATCHKEY_API_KEY: secret,
  }
  const user = `${tenant.path}/users/${ada.id}`
  const pages = [
    ...['/console', '/console/operators', '/console/operators/new', '/console/keys'],
    ...['/console/keys/new', '/console/system'],
    ...['/console/audit', `/console/audit/${created?.id}`, `/console/audit/${key?.id}`],
    ...[`${tenant.path}/users`, `${tenant.path}/users/new`, `${tenant.path}/outbox`],
    ...[`${tenant.path}/audit`, user, `${tenant.path}/signing-keys/withdraw`],
    `${user}/disable`,
    ...[`${user}/delete`, `${tenant.path}/delete`],
  ]
  const commands = new Set<string>()
  for (const page of pages) {
    const { html } = await owner.get(page)
    const shown = /command line<\/summary><pre>([\s\S]*?)<\/pre>/.exec(html)?.[1] ?? ''
    expect(`${page} ${shown}`).toMatch(/ latchkey/)
    for (const line of shown.split('\n')) commands.add(unescaped(line).replace('<id>', tenant.id))
  }
  // In the order of the pages: what deletes comes last.
  for (const command of commands) expect(await run(command, env)).toBe(`${command}: works`)
  expect((await tenant.call('GET', `/v1/tenants/${tenant.id}`)).status).toBe(404)
})

function unescaped(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}
