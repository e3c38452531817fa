import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as client from 'openid-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createBrowser } from '../issuer/support/browser.ts'
import { createVirtualKey, optionsOn } from '../issuer/support/keys.ts'
import { createLoopbackFetch } from '../issuer/support/loopback.ts'
import { main, run, temporaryFolder } from './support.ts'

/** Runs `latchkey-service dev` until it says how to stop it. */
async function startDev(port: number, data: string, ...more: string[]) {
  const where = ['--port', String(port), '--data', data]
  const args = ['--conditions=latchkey-source', main, 'dev', ...where, ...more]
  const child = spawn(process.execPath, args, { stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      if (output.includes('Ctrl-C')) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('close', () => reject(new Error(output)))
  })
  const value = (name: string) => new RegExp(`${name}[ =]+(\\S+)`).exec(output)?.[1] ?? ''
  return {
    output,
    /** What it has printed by now. */
    printed: () => output,
    issuer: value('Issuer'),
    account: value('Account'),
    mail: value('Mail'),
    api: value('API'),
    apiKey: value('API key'),
    clientId: value('LATCHKEY_CLIENT_ID'),
    clientSecret: value('LATCHKEY_CLIENT_SECRET'),
    redirectUri: `${value('LATCHKEY_BASE_URL')}/callback`,
    /** Presses Enter; resolves with the code that is printed. */
    async code(): Promise<string> {
      child.stdin.write('\n')
      return vi.waitUntil(() => /^ {2}(\d{6})$/m.exec(output)?.[1])
    },
    /** Presses Ctrl-C; resolves with the exit code. */
    stop() {
      child.kill('SIGINT')
      return ended
    },
  }
}

type Dev = Awaited<ReturnType<typeof startDev>>

/** Begins a login with what the command has printed, up to what follows the password. */
async function logIn(dev: Dev, email: string) {
  const fetch = createLoopbackFetch()
  const config = await client.discovery(
    new URL(dev.issuer),
    dev.clientId,
    dev.clientSecret,
    undefined,
    {
      execute: [client.allowInsecureRequests],
      [client.customFetch]: fetch as client.CustomFetch,
    },
  )
  config[client.customFetch] = fetch as client.CustomFetch
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: dev.redirectUri,
    scope: 'openid email',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const browser = createBrowser({ url: dev.issuer, fetch })
  const password = new RegExp(`${email} +(correct horse battery)`).exec(dev.output)?.[1] ?? ''
  const page = await browser.submit(await browser.get(url.href), { email, password })
  const redeem = (callback: { location: string | undefined }) =>
    client.authorizationCodeGrant(config, new URL(callback.location ?? ''), { pkceCodeVerifier })
  return { browser, page, redeem, url: url.href }
}

test('dev serves a demo tenant on the next free port, with what it prints a client logs in, and it keeps its data', async () => {
  using folder = temporaryFolder()
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo

  const first = await startDev(port, folder.path)
  expect(Number(new URL(first.issuer).port)).toBeGreaterThan(port)
  expect(new URL(first.issuer).hostname).toBe('localhost')
  const { page, redeem } = await logIn(first, 'ada@example.com')
  const claims = (await redeem(page)).claims()
  expect(claims).toMatchObject({ iss: first.issuer, email: 'ada@example.com' })
  const listed = await fetch(`${first.api}/tenants`, {
    headers: { authorization: `Bearer ${first.apiKey}` },
  })
  expect(await listed.json()).toMatchObject({
    data: [{ name: 'Demo', settings: { developer_mode: true } }],
  })
  expect(await first.stop()).toBe(0)
  other.close()

  const second = await startDev(port, folder.path)
  expect(second.issuer).toBe(`http://localhost:${port}`)
  expect([second.clientId, second.clientSecret]).toEqual([first.clientId, first.clientSecret])
  const again = await logIn(second, 'ada@example.com')
  expect((await again.redeem(again.page)).claims()?.sub).toBe(claims?.sub)

  const grace = await logIn(second, 'grace@example.com')
  expect(grace.page.html).toContain('please confirm that grace@example.com is yours')
  const outbox = await grace.browser.get(second.mail)
  const link = /href="([^"]*\/verify[^"]*)"/.exec(outbox.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const callback = await grace.browser.submit(await grace.browser.get(link))
  expect((await grace.redeem(callback)).claims()).toMatchObject({ email_verified: true })

  const joan = await logIn(second, 'joan@example.com')
  const strong = await joan.browser.submit(joan.page, { code: await second.code() })
  expect((await joan.redeem(strong)).claims()).toMatchObject({ amr: ['pwd', 'otp', 'mfa'] })

  const radia = await logIn(second, 'radia@example.com')
  const add = await radia.browser.get(`${second.account}/security/add?kind=hardware`)
  const key = createVirtualKey()
  const credential = key.create(optionsOn(add, 'passkey'), second.issuer)
  await radia.browser.submit(add, { credential, use: 'passkey', name: '' })
  const browser = createBrowser({ url: second.issuer, fetch: createLoopbackFetch() })
  const form = await browser.get(radia.url)
  const proven = { credential: key.get(optionsOn(form), second.issuer) }
  const alone = await browser.submit(form, proven)
  expect((await radia.redeem(alone)).claims()).toMatchObject({ amr: ['swk', 'user', 'mfa'] })

  const inUse = await startDev(port, folder.path).catch((error: Error) => error.message)
  expect(inUse).toContain(`To run another beside it: latchkey-service dev --data ${folder.path}-2`)
  expect(inUse).not.toMatch(/^ +at /m)
  expect(await second.stop()).toBe(0)
})

test('dev registers the address of your application, says what is true of its users today, and shows requests', async () => {
  using folder = temporaryFolder()
  const first = await startDev(4500, folder.path)
  expect(first.output).toMatch(/grace@example\.com .* has to confirm the address first/)
  const headers = { authorization: `Bearer ${first.apiKey}`, 'content-type': 'application/json' }
  // biome-ignore lint/suspicious/noExplicitAny: what the API answers has the shape that it documents
  const list = async (url: string): Promise<any[]> =>
    ((await (await fetch(url, { headers })).json()) as { data: [] }).data
  const [tenant] = await list(`${first.api}/tenants`)
  const users = `${first.api}/tenants/${tenant.id}/users`
  const grace = (await list(users)).find(({ profile }) => profile.email === 'grace@example.com')
  const body = JSON.stringify({ profile: { ...grace.profile, email_verified: true } })
  await fetch(`${users}/${grace.id}`, { headers, method: 'POST', body })
  await fetch(`${first.api}/tenants?secret=swordfish`)
  await vi.waitUntil(() => first.printed().includes('401'))
  expect(first.printed()).toMatch(/\d\d:\d\d:\d\d GET {2}localhost:\d+\/v1\/tenants 401 \d+ ms/)
  expect(first.printed()).toContain('request refused (code: authentication_failure')

  const back = `${first.issuer}/oidc/logout?client_id=${first.clientId}&post_logout_redirect_uri=`
  await createLoopbackFetch()(`${back}${encodeURIComponent('http://localhost:3000/bye')}`)
  await vi.waitUntil(() => first.printed().includes('The issuer refused a request'))
  expect(first.printed()).toContain(
    `The issuer refused a request: post_logout_redirect_uri not registered (code: invalid_request, applicationId: ${first.clientId})`,
  )
  await first.stop()

  const second = await startDev(4500, folder.path, '--base-url', 'http://localhost:5173/')
  expect(second.redirectUri).toBe('http://localhost:5173/callback')
  expect([second.clientId, second.clientSecret]).toEqual([first.clientId, first.clientSecret])
  expect(second.output).not.toContain('has to confirm')
  const { page } = await logIn(second, 'ada@example.com')
  expect(page.location).toMatch(/^http:\/\/localhost:5173\/callback\?code=/)
  await second.stop()
})

test('dev refuses a base URL that is no origin', async () => {
  const { code, stderr } = await run(['dev', '--base-url', 'localhost:5173'])
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('It must be an address such as http://localhost:5173.'),
  ])
})

test('dev ignores the variable that names the data folder of serve', async () => {
  const { stdout } = await run(['dev', '--help'], { LATCHKEY_DATA: '/somewhere' })
  expect(stdout).toContain('.latchkey/dev')
  expect(stdout).not.toContain('LATCHKEY_DATA')
})

/** A program that prints its settings, and stays if it is told to. */
const program = (more = ''): string[] => {
  const names = ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET', 'BASE_URL']
  const values = names.map((name) => `process.env.LATCHKEY_${name}`).join(', ')
  return ['--', process.execPath, '--eval', `console.log('app', ${values}); ${more}`]
}

test('dev runs an application with the settings that it prints, and stops it', async () => {
  using folder = temporaryFolder()
  const stays = `process.on('SIGTERM', () => { console.log('asked to stop'); process.exit(7) }); setInterval(() => {}, 1000)`
  const dev = await startDev(4600, folder.path, ...program(stays))
  await vi.waitUntil(() => dev.printed().includes('app http'))
  const settings = [dev.issuer, dev.clientId, dev.clientSecret, 'http://localhost:3000']
  expect(dev.printed()).toContain(`app ${settings.join(' ')}\n`)
  expect(await dev.stop()).toBe(0)
  expect(dev.printed()).toContain('asked to stop')
})

test('dev ends with its application, by the same exit code', async () => {
  using folder = temporaryFolder()
  const args = ['dev', '--port', '4600', '--data', folder.path]
  const { code, stdout } = await run([...args, ...program('process.exit(5)')])
  expect([code, stdout]).toEqual([5, expect.stringContaining('app http://localhost:')])
})

test('dev says which application it cannot start, and takes none without dashes in front', async () => {
  using folder = temporaryFolder()
  const args = ['dev', '--port', '4600', '--data', folder.path]
  const missing = await run([...args, '--', 'no-such-program'])
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringContaining('no-such-program cannot be started (ENOENT).'),
  ])
  const bare = await run([...args, 'node', 'app.js'])
  expect([bare.code, bare.stderr]).toEqual([
    2,
    expect.stringContaining(
      'write -- in front of your command: latchkey-service dev -- node app.js',
    ),
  ])
})
