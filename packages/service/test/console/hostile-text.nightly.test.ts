import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { expect, test } from 'vitest'
import { consoleRoutes } from '../../src/console/routes/index.ts'
import { startChromium } from '../pages/chromium.ts'
import { listenWithConsole } from './chromium.ts'
import { fillConsole } from './gallery-data.ts'

const SCRIPT = '"><script>alert(1)</script>'

/** Texts that do something, or look like something else, where a page forgets to escape or to mark them. */
const hostile = [
  SCRIPT,
  `<img src=x onerror=alert(1)>'`,
  `' onmouseover='alert(1)' x='`,
  'javascript:alert(1)',
  '<%= 7 * 7 %>{{7*7}}#{7*7}<%~ it %>',
  '</bdi></td></table><style>*{display:none}</style>',
  'invoice\u202efdp.exe\u2066',
  '\u0430cme',
  'W'.repeat(95),
  '\u{1d573}\u{1f608}\u{20bb7}'.repeat(8),
]

/** A mail server that refuses every message with hostile text. */
async function startMailServer() {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: (_, __, callback) =>
      callback(Object.assign(new Error(`5.1.1 ${SCRIPT}`), { responseCode: 550 })),
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    mail: { url: `smtp://127.0.0.1:${port}`, from: 'no-reply@acme.example' },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** Everything in a page that could run, load or lead elsewhere. */
const suspects = `[...document.querySelectorAll('*')].flatMap((element) => [
  ...(element.matches('head > script[src^="/assets/"]:empty') ? [] : ['SCRIPT', 'IMG', 'IFRAME', 'OBJECT', 'EMBED', 'BASE', 'LINK'].filter((name) => name === element.tagName).map(() => element.outerHTML)),
  ...[...element.attributes].filter(({ name, value }) =>
    name.startsWith('on') ||
    (['href', 'src', 'action', 'formaction'].includes(name) &&
      new URL(value, location.href).origin !== location.origin &&
      !/^(https|mailto):$/.test(new URL(value, location.href).protocol)),
  ).map(({ name, value }) => name + '=' + value),
]).concat(document.querySelectorAll('style').length === 1 ? [] : ['more than one style'])`

test('in Chromium, with hostile text stored, no page of the console runs a script, violates its policy or links elsewhere (C3)', async () => {
  await using mailServer = await startMailServer()
  await using chromium = await startChromium()
  await using running = await listenWithConsole({ mail: mailServer.mail })
  const { service, url } = running
  let next = 0
  const ids = await fillConsole(service, (natural, field) =>
    /email$|domain$/.test(field) ? natural : (hostile[next++ % hostile.length] as string),
  )
  // A refused request leaves its path and its browser in the audit log.
  const agent = { 'user-agent': `Mozilla/5.0 ${SCRIPT} Firefox/140.0` }
  await service.fetch(`${url}/v1/tenants/${ids.tenant}/users`, { headers: agent })

  const page = await chromium.open()
  const found: string[] = []
  page.on('dialog', (dialog) => {
    found.push(`dialog ${dialog.message()}`)
    return dialog.dismiss()
  })
  page.on('console', (line) => {
    if (/policy/i.test(line.text())) found.push(`console ${line.text()}`)
  })
  page.on('pageerror', (error) => found.push(`error ${error.message}`))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url) found.push(`request ${request.url()}`)
  })
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', ({ violatedDirective }) => console.log('policy ' + violatedDirective))`,
  )
  await running.enter(page, { email: `o'connor+&@example.com`, role: 'owner' })
  await page.goto(`${url}/console/t/${ids.tenant}/users/${ids.user}`)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('The message is on its way').waitFor()
  found.length = 0

  const names = ['done', 'to', 'search', 'key', 'state', 'target', 'request', 'actor', 'action']
  const query = new URLSearchParams(names.map((name): [string, string] => [name, SCRIPT]))
  const reads = consoleRoutes.filter(
    ({ method, path }) => method === 'GET' && !path.endsWith('/export'),
  )
  const users = await service.admin.audit({ tenantId: ids.tenant ?? '', limit: 1_000 })
  const made = users.filter(({ action }) => action === 'user.create').slice(-hostile.length)
  const paths = reads.flatMap(({ path }) => {
    const at = (all: typeof ids) => path.replace(/:(\w+)/g, (_, name) => all[name] ?? 'none')
    const each = path.includes(':user')
      ? made.map(({ target }) => ({ ...ids, user: target }))
      : [ids]
    return [...each.map(at), `${at(ids)}?${query}`]
  })
  expect(paths.length).toBeGreaterThan(2 * reads.length - 1)
  for (const path of [...new Set(paths)]) {
    const answer = await page.goto(url + path)
    expect(answer?.status(), path).toBeLessThan(500)
    const inPage = (await page.evaluate(suspects)) as string[]
    for (const one of [...inPage, ...found.splice(0)]) expect(`${path}: ${one}`).toBe('nothing')
  }

  await page.goto(`${url}/console/t/${ids.tenant}/users`)
  const text = await page.locator('main').textContent()
  expect(text).toContain(SCRIPT)
  expect(text).toContain('U+202E')
  expect(text).toContain('letters of several scripts')
})
