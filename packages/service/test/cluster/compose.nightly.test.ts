import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../../../../test/support/free-port.ts'
import { startNginx } from '../../../../test/support/nginx.ts'
import { startRedis } from '../../../session-store/test/support/redis.ts'
import { run, serve, temporaryFolder } from '../cli/support.ts'
import { overHttp } from '../support/cluster.ts'
import { createDatabase } from '../support/postgres.ts'

const folder = fileURLToPath(new URL('../../../../deploy/', import.meta.url))
const text = readFileSync(`${folder}compose.yaml`, 'utf8')
const { services } = parse(text, { merge: true })
const nginx = readFileSync(`${folder}nginx.conf`, 'utf8')

/** The two blocks of nginx.conf that the test keeps. */
const [, upstream = '', location = ''] =
  /^(upstream [\s\S]*?^\})[\s\S]*?(location [\s\S]*?^ {2}\})/m.exec(nginx) ?? []

// There is no Docker where the tests run, so the programs have ports where the file has names.
test('the services of compose.yaml start with its commands and settings, and nginx.conf sends requests to each of them', async () => {
  const database = await createDatabase({ migrate: false })
  onTestFinished(() => database.drop())
  const [program, ...flags] = services.redis.command as string[]
  expect(program).toBe('valkey-server')
  await using redis = await startRedis(linesOf(flags))
  using secrets = temporaryFolder()
  const mounted = (name: string, content: string): string => {
    const file = join(secrets.path, name)
    writeFileSync(file, content)
    return file
  }
  const here: Record<string, string> = {
    '/run/secrets/database': mounted('database', database.url),
    'redis://redis:6379': redis.url,
    '/run/secrets/master-key': mounted('master-key', `${randomBytes(32).toString('base64')}\n`),
  }
  const settingsOf = (service: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(services[service].environment).map(([name, value]) => {
        const replaced = here[String(value)]
        if (replaced === undefined) throw new Error(`The test has nothing for ${name}: ${value}`)
        return [name, replaced]
      }),
    )
  const env = settingsOf('service')
  const [verb, ...options] = services.service.command as string[]
  expect(verb).toBe('serve')
  // Without tables it would not start: `migrate` makes them first.
  await expect(serve(options, env)).rejects.toThrow('migrate')

  const migrated = await run(services.migrate.command, settingsOf('migrate'))
  expect(migrated.code, migrated.stderr).toBe(0)
  const [, created = ''] = /compose run --rm migrate (tenant create .*)/.exec(text) ?? []
  const tenant = await run(created.split(' '), settingsOf('migrate'))
  expect(tenant.code, tenant.stderr).toBe(0)
  const processes = await Promise.all(
    Array.from({ length: services.service.deploy.replicas }, () => serve(options, env)),
  )
  const addresses = processes.map(({ url }) => `server ${url.slice('http://'.length)};`)
  const port = await freePort()
  await using _ = await startNginx(
    port,
    location,
    // Debian's nginx cannot look a name up again, and there is no name here.
    upstream
      .replace(/^ *(zone|resolver) .*\n/gm, '')
      .replace('server service:4400 resolve max_fails=0;', addresses.join(' ')),
  )
  const ask = overHttp(port)
  const [, domain = ''] = /--domain (\S+)/.exec(created) ?? []
  const issuers: unknown[] = []
  for (const _ of processes) {
    const answer = await ask(`https://${domain}/.well-known/openid-configuration`)
    issuers.push(((await answer.json()) as { issuer?: string }).issuer)
  }
  // A file that an operator imports. The service itself refuses this address or this size, in JSON or a page of its own.
  const large = await ask(`https://${domain}/console/`, {
    method: 'POST',
    body: 'x'.repeat(2_000_000),
  })
  const refusal = await large.text()
  const codes = await Promise.all(processes.map(({ stop }) => stop()))

  expect(issuers).toEqual(processes.map(() => `https://${domain}`))
  // The networks of --trusted-proxy do not have this proxy, so each process that got a request warns of it.
  for (const { log } of processes) expect(log()).toContain('X-Forwarded-For')
  expect(refusal).not.toContain('<center>nginx')
  expect(codes).toEqual(processes.map(() => 0))
})

test('the commands at the head of compose.yaml make each secret that a service reads', () => {
  using here = temporaryFolder()
  const folder = join(here.path, 'deploy')
  mkdirSync(folder)
  const [commands = ''] = text.split('#   docker compose up')
  const lines = commands.match(/^# {3}\S.*$/gm)?.map((line) => line.slice(4)) ?? []
  const command = lines.join('\n').replace(/ &&$/, '')
  execFileSync('bash', ['-euc', command], { cwd: folder })
  const key = readFileSync(join(folder, 'secrets/master-key'), 'utf8')
  // A second time, they stop at the folder that is there, and leave the secrets alone.
  expect(() => execFileSync('bash', ['-c', command], { cwd: folder, stdio: 'pipe' })).toThrow()
  expect(readFileSync(join(folder, 'secrets/master-key'), 'utf8')).toBe(key)

  const { secrets } = parse(text)
  const files = Object.values(secrets as Record<string, { file: string }>).map(({ file }) => file)
  expect(files.toSorted()).toEqual(
    readdirSync(join(folder, 'secrets')).map((name) => `./secrets/${name}`),
  )
  // The user of a container is another one than that of the host, who alone enters the folder.
  expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700)
  const [database = '', password = ''] = ['database', 'postgres-password'].map((name) =>
    readFileSync(join(folder, 'secrets', name), 'utf8').trim(),
  )
  expect(statSync(join(folder, 'secrets/database')).mode & 0o777).toBe(0o444)
  expect(database).toBe(`postgres://latchkey:${password}@postgres/latchkey`)
  for (const { environment, secrets: read = [] } of Object.values(services) as {
    environment?: Record<string, string>
    secrets?: string[]
  }[]) {
    const named = Object.values(environment ?? {}).filter((value) => value.startsWith('/run/'))
    expect(named.toSorted()).toEqual(read.map((name) => `/run/secrets/${name}`).toSorted())
  }
})

/** Flags of the command line as lines of a configuration. */
function linesOf(flags: readonly string[]): string[] {
  return flags
    .join(' ')
    .split('--')
    .filter((flag) => flag !== '')
}
