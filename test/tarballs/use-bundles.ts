import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createManagementClient } from '@latchkey/management'
import { logIn, startIdentity } from '@latchkey/testing'
import { logInOverHttp } from './log-in-over-http.ts'

// Uses each program of a folder of bundles, which runs alone in an empty folder.
const bundles = process.argv[2] ?? ''
const redisUrl = process.env.REDIS_URL ?? ''
const identity = await startIdentity({ listen: true })
const user = await identity.createUser({ claims: { plan: 'gold' } })

/** Uses of programs that are not used as an application on each store is. */
const uses: Readonly<Record<string, (name: string) => Promise<void>>> = {
  'express-session': useExpressSession,
  management: useManagement,
  // Proxy and pages are two bundles, each with a store in memory of its own.
  nextjs: (name) => useApplication(name, redisUrl),
  service: useService,
}

const names = await readdir(bundles)
for (const name of names) {
  const use = uses[path.parse(name).name]
  if (use) await use(name)
  else for (const url of ['', redisUrl]) await useApplication(name, url)
}
await identity.close()

/** A user logs in to an application. */
async function useApplication(name: string, url: string): Promise<void> {
  const baseUrl = `http://localhost:${await freePort()}`
  const options = identity.clientOptions({ baseUrl })
  await using _ = await start(name, applicationAt(baseUrl, options, url))
  const browser = await logIn(baseUrl, user)
  assert.equal((await browser.get('/plan')).text, 'gold', name)
}

/** express-session alone counts the visits of a browser. */
async function useExpressSession(name: string): Promise<void> {
  for (const REDIS_URL of ['', redisUrl]) {
    const port = await freePort()
    await using _ = await start(name, { PORT: String(port), REDIS_URL })
    const visits = `http://localhost:${port}/visits`
    const first = await fetch(visits)
    const cookie = first.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const second = await fetch(visits, { headers: { cookie } })
    assert.equal(await second.json(), 2, name)
  }
}

/** The client creates a user, who is there afterwards. */
async function useManagement(name: string): Promise<void> {
  const { service, tenantId, issuer } = identity
  const { secret } = await service.admin.createApiKey({ name, reach: [tenantId] })
  const EMAIL = `${name}-${Date.now()}@example.com`
  const SERVICE_URL = issuer.replace('login.localhost', '127.0.0.1')
  const environment = { SERVICE_URL, API_KEY: secret, TENANT_ID: tenantId, EMAIL }
  await using program = await start(name, environment)
  assert.equal(program.said, EMAIL)
}

/** A user of the service logs in to an application that is bundled in the same way. */
async function useService(name: string): Promise<void> {
  await using program = await start(name, {}, ['@node-rs/argon2', '@node-rs/bcrypt'])
  const { port, tenantId, apiKey } = JSON.parse(program.said)
  const client = createManagementClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey })
  const baseUrl = `http://localhost:${await freePort()}`
  const application = await client.applications(tenantId).create({
    name: 'Bundled',
    redirect_urls: [`${baseUrl}/callback`],
  })
  const { secret = '' } = await client.applications(tenantId).get(application.id)
  const [email, password] = ['ada@example.com', 'correct horse battery']
  const users = client.users(tenantId)
  const { id } = await users.create({ profile: { email, email_verified: true } })
  await client.credentials(tenantId, id).create({
    password: { alg: 'plain', hash: password },
  })
  const issuer = `http://login.localhost:${port}`
  const options = { issuer, clientId: application.id, clientSecret: secret }
  const express = name.replace('service', 'express')
  await using _ = await start(express, applicationAt(baseUrl, options, ''))
  const shown = await logInOverHttp(`${baseUrl}/plan`, { email, password })
  assert.equal(shown, 'gold', name)
}

/** The environment of an application. */
function applicationAt(
  baseUrl: string,
  options: { issuer: string; clientId: string; clientSecret: string },
  url: string,
): NodeJS.ProcessEnv {
  const { issuer, clientId, clientSecret } = options
  const provider = { ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }
  return { ...provider, BASE_URL: baseUrl, PORT: new URL(baseUrl).port, REDIS_URL: url }
}

interface Program {
  /** What it wrote first. */
  readonly said: string
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a bundle in an empty folder, and waits until it says something.
 *
 * @param beside - Packages that it needs beside itself, with those that they need for this platform.
 */
async function start(
  name: string,
  environment: NodeJS.ProcessEnv,
  beside: readonly string[] = [],
): Promise<Program> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-bundle-'))
  await cp(path.join(bundles, name), path.join(folder, name), { recursive: true })
  for (const needed of beside) await copyScope(needed, folder)
  const isNextjs = path.extname(name) === ''
  const program = isNextjs ? path.join(name, 'of-nextjs/server.js') : name
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, NODE_ENV: 'test', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const end = async (): Promise<void> => {
    const isRunning = child.exitCode === null && child.signalCode === null
    const ended = isRunning ? once(child, 'exit') : undefined
    child.kill()
    await ended
    await rm(folder, { recursive: true })
  }
  try {
    const said = await firstWords(child, name, isNextjs ? 'Ready' : '')
    return { said, [Symbol.asyncDispose]: end }
  } catch (error) {
    await end()
    throw error
  }
}

/** The first words of a program, up to those that it says when it is ready. */
async function firstWords(child: ChildProcess, name: string, last: string): Promise<string> {
  const ended = once(child, 'exit').then(() => assert.fail(`${name} has ended without a word`))
  ended.catch(() => {})
  assert.ok(child.stdout)
  let said = ''
  do {
    const [words] = await Promise.race([once(child.stdout, 'data'), ended])
    said += words
  } while (!said.includes(last))
  return said
}

/** Copies the packages of a scope that are installed: a native module is one package, its file another. */
async function copyScope(name: string, folder: string): Promise<void> {
  const scope = path.join('node_modules', path.dirname(name))
  await mkdir(path.join(folder, 'node_modules'), { recursive: true })
  await cp(scope, path.join(folder, scope), { recursive: true })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
