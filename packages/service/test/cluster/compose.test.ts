import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../../../../test/support/free-port.ts'
import { startNginx } from '../../../../test/support/nginx.ts'
import { startRedis } from '../../../session-store/test/support/redis.ts'
import { run, serve } from '../cli/support.ts'
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
  const here: Record<string, string> = {
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: so it stands in the file
    'postgres://latchkey:${POSTGRES_PASSWORD:?}@postgres/latchkey': database.url,
    'redis://redis:6379': redis.url,
    '${LATCHKEY_MASTER_KEY:?}': randomBytes(32).toString('base64'),
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: so it stands in the file
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
  const codes = await Promise.all(processes.map(({ stop }) => stop()))

  expect(issuers).toEqual(processes.map(() => `https://${domain}`))
  // The networks of --trusted-proxy do not have this proxy, so each process that got a request warns of it.
  for (const { log } of processes) expect(log()).toContain('X-Forwarded-For')
  expect(codes).toEqual(processes.map(() => 0))
})

/** Flags of the command line as lines of a configuration. */
function linesOf(flags: readonly string[]): string[] {
  return flags
    .join(' ')
    .split('--')
    .filter((flag) => flag !== '')
}
