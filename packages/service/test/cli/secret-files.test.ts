import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startRedis } from '../../../session-store/test/support/redis.ts'
import { createDatabase } from '../support/postgres.ts'
import { run, serve, temporaryFolder } from './support.ts'

const folder = temporaryFolder()

/** A file with this content, as an orchestrator mounts one. */
function secret(name: string, content: string | Buffer): string {
  const file = join(folder.path, name)
  writeFileSync(file, content)
  return file
}

describe('a secret in a file', () => {
  test('is the value of its variable, for every command and store', async () => {
    onTestFinished(() => folder[Symbol.dispose]())
    mkdirSync(folder.path, { recursive: true })
    const database = await createDatabase({ migrate: false })
    onTestFinished(() => database.drop())
    await using redis = await startRedis()
    const env = {
      LATCHKEY_DATABASE_FILE: secret('database', `${database.url}\n`),
      LATCHKEY_REDIS_FILE: secret('redis', `\uFEFF${redis.url}\r\n`),
      LATCHKEY_MASTER_KEY_FILE: secret('master-key', `${'A'.repeat(43)}=\n`),
      LATCHKEY_SMTP_URL_FILE: secret('smtp', 'smtp://login:pa55word@127.0.0.1:9\n\n'),
      LATCHKEY_MAIL_FROM: 'login@example.com',
      // Set and empty is not set, as compose files have it.
      LATCHKEY_DATABASE: '',
    }
    expect(await run(['migrate'], env)).toMatchObject({ code: 0 })
    const tenant = await run(['tenant', 'create', '--domain', 'login.example.com'], env)
    expect(tenant).toMatchObject({ code: 0, stderr: '' })
    const served = await serve(['--no-migrate'], env)
    expect((await fetch(`${served.url}/x/ready`)).status).toBe(200)
    expect(await served.stop()).toBe(0)
    for (const value of [database.url, redis.url, 'pa55word', 'A'.repeat(43)]) {
      expect(served.log()).not.toContain(value)
    }
  })

  test.for<[string, () => string, RegExp]>([
    ['no file', () => join(folder.path, 'gone'), /There is no file \S+gone\./],
    ['a folder', () => folder.path, /cannot be read|is a folder/],
    ['an empty file', () => secret('empty', ''), /is empty\./],
    ['blank lines alone', () => secret('blank', ' \n\n'), /is empty\./],
    ['a large file', () => secret('large', 'hush'.repeat(20_000)), /is larger than 64 KiB/],
    ['a device without an end', () => '/dev/zero', /is larger than 64 KiB/],
    ['bytes', () => secret('bytes', Buffer.from([0x68, 0xff, 0xfe])), /is not text in UTF-8/],
    ['zeros', () => secret('zeros', 'hush\0hush'), /is not text in UTF-8/],
  ])('that is %s is refused', async ([, file, sentence]) => {
    mkdirSync(folder.path, { recursive: true })
    onTestFinished(() => folder[Symbol.dispose]())
    const ended = await run(['tenant', 'list'], { LATCHKEY_DATABASE_FILE: file() })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^LATCHKEY_DATABASE_FILE: .*\(LATCHKEY_SECRET_FILE_INVALID\)\n$/)
    expect(ended.stderr).toMatch(sentence)
    expect(ended.stderr).not.toContain('hush')
  })

  test('that this user cannot read is refused', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may read every file')
    mkdirSync(folder.path, { recursive: true })
    onTestFinished(() => folder[Symbol.dispose]())
    const file = secret('closed', 'postgres://db/latchkey')
    chmodSync(file, 0)
    const ended = await run(['tenant', 'list'], { LATCHKEY_DATABASE_FILE: file })
    expect(ended).toMatchObject({ code: 1 })
    expect(ended.stderr).toContain('cannot be read by this user (EACCES)')
  })

  test('is refused beside the variable itself, and left alone beside the option', async () => {
    mkdirSync(folder.path, { recursive: true })
    onTestFinished(() => folder[Symbol.dispose]())
    const file = secret('database', 'postgres://login:hush@127.0.0.1:1/latchkey')
    const twice = { LATCHKEY_DATABASE: 'postgres://x:hush@db/y', LATCHKEY_DATABASE_FILE: file }
    const ended = await run(['tenant', 'list'], twice)
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toBe(
      'LATCHKEY_DATABASE and LATCHKEY_DATABASE_FILE are both set. Remove one of them. (LATCHKEY_SECRET_TWICE)\n',
    )
    const option = ['tenant', 'list', '--database', 'postgres://127.0.0.1:2/named']
    const masterKey = ['--master-key', `${'A'.repeat(43)}=`]
    expect((await run([...option, ...masterKey], twice)).stderr).toContain('127.0.0.1:2')
    const help = await run(['tenant', 'list', '--help'], twice)
    expect(help).toMatchObject({ code: 0, stderr: '' })
  })

  test('stands for a connection secret as well', async () => {
    using data = temporaryFolder()
    mkdirSync(folder.path, { recursive: true })
    onTestFinished(() => folder[Symbol.dispose]())
    const env = { LATCHKEY_DATA: data.path }
    const { stdout } = await run(['tenant', 'create', '--domain', 'a.example.com', '--json'], env)
    const add = ['connection', 'add', '--tenant', JSON.parse(stdout).id, '--recipe', 'google']
    const file = secret('connection', 'a secret of Google\n')
    const added = await run([...add, '--client-id', 'shop'], {
      ...env,
      LATCHKEY_CONNECTION_SECRET_FILE: file,
    })
    expect(added).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('the variables that Kubernetes sets for a Service named latchkey', () => {
  const links = {
    LATCHKEY_PORT: 'tcp://10.0.0.1:4400',
    LATCHKEY_SERVICE_HOST: '10.0.0.1',
    LATCHKEY_SERVICE_PORT: '4400',
    LATCHKEY_PORT_4400_TCP: 'tcp://10.0.0.1:4400',
    LATCHKEY_PORT_4400_TCP_ADDR: '10.0.0.1',
  }

  test('do not stop a start, and are named in a sentence', async () => {
    using data = temporaryFolder()
    const metrics = { LATCHKEY_METRICS_PORT: 'tcp://10.0.0.2:9464' }
    const served = await serve(['--data', data.path], { ...links, ...metrics })
    expect(served.log()).not.toContain('serving metrics')
    expect(await served.stop()).toBe(0)
    expect(served.log()).toContain(
      'LATCHKEY_PORT is "tcp://10.0.0.1:4400". Kubernetes sets it for the Service "latchkey", so it is ignored. ' +
        'Set enableServiceLinks: false in the Pod.',
    )
    // Without the option, too: the command gets as far as its data.
    const link = await run(['serve', '--database', 'postgres://127.0.0.1:2/none'], links)
    expect(link.stderr).not.toContain('is invalid')
    expect(link.stderr).toContain('"database" needs "redis"')
  })

  test('are refused as the value of an option', async () => {
    const ended = await run(['serve', '--port', 'tcp://10.0.0.1:4400'])
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('It must be a whole number from 0 to 65535.')
  })
})
