import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, type RequestOptions, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { kitSnippet } from '../../../packages/service/src/console/pages/kit-snippet.ts'
import { press, startConsole, textOf } from '../../../packages/service/test/console/support.ts'
import { aTenant, PASSWORD } from '../../../packages/service/test/console/tenant.ts'
import { createBrowser, type Page } from '../../../packages/service/test/issuer/support/browser.ts'
import { commandEnv } from '../../../test/support/command-env.ts'
import { freePort } from '../../../test/support/free-port.ts'

const examples = fileURLToPath(new URL('../..', import.meta.url))

const input = {
  issuer: 'https://login.example.com',
  clientId: 'shop',
  clientSecret: undefined,
  sessionSecret: '',
  loginUrl: '',
  redirectUrls: [],
}

/** The names of the applications that the console has. */
const shown = kitSnippet(input).applications.map(({ id }) => id)

/** The example whose packages are installed as the snippet says. */
const exampleOf = (id: string): string => (id === 'express' ? 'getting-started' : id)

/** The texts of the page in elements of a class, within an element of an id. */
function shownIn(html: string, id: string, className: string): string {
  const part = html.slice(html.indexOf(`id="${id}"`))
  const found = new RegExp(`<pre class="code ${className}"[^>]*>([\\s\\S]*?)</pre>`).exec(part)
  return textOf(found?.[1] ?? '')
}

test.for(shown)(
  'the application for %s runs as it is pasted from the console, and logs a user in',
  async (id) => {
    await using running = await startConsole({ allowHttpOnLoopback: true })
    const [port, ownPort] = [await freePort(), await freePort()]
    await running.service.listen({ port })
    const tenant = await aTenant(running, {}, `localhost:${port}`)
    const ada = await tenant.addUser()
    const url = `http://localhost:${ownPort}`
    const { body } = await tenant.call('POST', `/v1/tenants/${tenant.id}/applications`, {
      name: 'Shop',
      redirect_urls: [`${url}/auth/callback`],
      login_url: `${url}/auth/login`,
    })
    const page = `${tenant.path}/applications/${body.id}`
    const owner = await running.logIn({ role: 'owner' })
    const revealed = await press(owner, await owner.get(page), `${page}/secret`)
    const { html } = await owner.get(revealed.location ?? '')

    const folder = mkdtempSync(join(tmpdir(), 'latchkey-snippet-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    symlinkSync(join(examples, exampleOf(id), 'node_modules'), join(folder, 'node_modules'))
    const environment = /id="environment">([\s\S]*?)<\/pre>/.exec(html)?.[1] ?? ''
    writeFileSync(join(folder, '.env'), textOf(environment))
    const [, named = ''] =
      html.slice(html.indexOf(`id="kit-${id}"`)).match(/into <code>(.*?)</) ?? []
    const file = join(folder, named)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, shownIn(html, `kit-${id}`, 'application'))

    const command = shownIn(html, `kit-${id}`, 'run')
    const built = command.startsWith('npx nest') ? await build(file) : undefined
    const words = built ? ['--env-file=.env', built] : command.split(' ').slice(1)
    const child = spawn(process.execPath, ['--conditions=latchkey-source', ...words], {
      cwd: folder,
      env: commandEnv,
    })
    onTestFinished(() => void child.kill())
    let printed = ''
    const note = (chunk: Buffer) => {
      printed += chunk
    }
    child.stdout.on('data', note)
    child.stderr.on('data', note)
    const ended = once(child, 'close').then(() => Promise.reject(new Error(printed)))
    await Promise.race([ended, expect.poll(() => printed).toContain('Listening')])
    ended.catch(() => {})

    const browser = createBrowser({ url, fetch: navigate as never })
    const onward = async (page: Page): Promise<Page> =>
      page.location === undefined
        ? page
        : onward(await browser.peek(new URL(page.location, page.url).href))
    expect((await browser.peek('/')).html).toContain('href="/auth/login"')
    const form = await onward(await browser.peek('/account'))
    const fields = { email: ada.email, password: PASSWORD }
    const done = await onward(await browser.submitOnly(form, fields))
    expect(done.url).toBe(`${url}/account`)
    expect(JSON.parse(done.html)).toMatchObject({ email: ada.email })
  },
)

test.for([
  ['http://localhost:4000', 4000],
  ['http://[::1]:4000', 4000],
  ['http://shop.localhost', 80],
  ['https://shop.example', 3000],
])('the application at %s listens on port %i', ([url, port]) => {
  const redirectUrls = [`${url}/auth/callback`]
  const { applications } = kitSnippet({ ...input, redirectUrls })
  for (const { id, code } of applications) {
    expect(code, id).toMatch(new RegExp(`listen\\(${port}|port: ${port}`))
  }
})

/** A request as browsers send it for a page; `fetch` of Node says that a script has sent it. */
async function navigate(url: string, { method, headers, body }: RequestInit): Promise<Response> {
  const sent = request(url, { method, headers } as RequestOptions).end(body && String(body))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const pairs = answer.rawHeaders.flatMap((name, i, all) => (i % 2 ? [] : [[name, all[i + 1]]]))
  const status = answer.statusCode ?? 0
  const text = Buffer.concat(await answer.toArray())
  return new Response(text, { status, headers: pairs as [string, string][] })
}

/** Builds an application with decorators, as `nest build` does. */
async function build(file: string): Promise<string> {
  const { rolldown } = await import('rolldown')
  const tsconfig = join(dirname(file), '../tsconfig.json')
  // As `nest new` writes it.
  writeFileSync(
    tsconfig,
    '{"compilerOptions":{"experimentalDecorators":true,"emitDecoratorMetadata":true}}',
  )
  const bundle = await rolldown({ input: file, external: /^@(nestjs|latchkey)\//, tsconfig })
  const built = join(dirname(file), '../dist/main.mjs')
  await bundle.write({ file: built })
  return built
}
