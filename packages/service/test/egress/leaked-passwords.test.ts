import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIdentityService } from '@latchkey/service'
import fc from 'fast-check'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createLeakedPasswords } from '../../src/egress/leaked-passwords.ts'

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()

function aFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-leaks-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'hashes.txt')
  writeFileSync(path, content)
  return path
}

async function open(options: { file?: string; url?: string }) {
  const lines: string[] = []
  let now = 0
  const leaks = await createLeakedPasswords({
    domain: {
      ...{ store: { tenants: { get: async () => undefined } }, domains: {} },
      ...{ clock: { now: () => now }, allowDeveloperMode: false },
    } as never,
    allowHttpOnLoopback: true,
    logger: pino({ level: 'debug' }, { write: (line) => void lines.push(line) }),
    ...options,
  })
  onTestFinished(() => leaks.close())
  const pass = (ms: number) => {
    now += ms
  }
  return { leaks, lines, pass }
}

test('every hash of a list is found, and no other one, whatever its line breaks and counts are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 40 }),
      fc.array(fc.nat(), { minLength: 1 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      async (texts, counts, lineBreak, endsWithBreak) => {
        const hashes = texts.map(sha1).sort()
        const written = hashes.map((hash, i) => {
          const count = counts[i % counts.length] as number
          return count % 3 === 0 ? hash : `${hash}:${count}`
        })
        const file = aFile(written.join(lineBreak) + (endsWithBreak ? lineBreak : ''))
        const { leaks } = await open({ file })
        for (const hash of hashes) expect(await leaks.isListed(hash)).toBe(true)
        for (const other of ['', 'x', ...texts].map((text) => sha1(`other ${text}`))) {
          expect(await leaks.isListed(other)).toBe(hashes.includes(other))
        }
      },
    ),
    { numRuns: 50 },
  )
})

test.each([
  ['passwords in clear text', 'password\n123456\n'],
  ['hashes of another kind', `${'0'.repeat(32)}\n`],
  ['hashes that are not in order', `${'F'.repeat(40)}:1\n${'0'.repeat(40)}:1\n`],
  ['nothing', ''],
])('a list with %s is refused at the start', async (_, content) => {
  const file = aFile(content)
  await expect(open({ file })).rejects.toThrow(`${file} must have a SHA-1 of 40 hexadecimal`)
})

test('a list that is not there is refused at the start', async () => {
  await expect(open({ file: '/nowhere/hashes.txt' })).rejects.toThrow(
    'The list of leaked passwords /nowhere/hashes.txt cannot be read',
  )
})

/** How often this process has a file open. */
function openHandles(path: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      return false
    }
  }).length
}

test.runIf(process.platform === 'linux')(
  'a service closes the list when it is closed, and when it does not start',
  async () => {
    const file = aFile(`${sha1('leaked long ago')}:1`)
    const service = await createIdentityService({ leakedPasswordsFile: file })
    expect(openHandles(file)).toBe(1)
    await service.close()
    expect(openHandles(file)).toBe(0)

    // The address of a web server: it is judged after the list was opened.
    const mail = { url: 'https://mail.example.com', from: 'login@example.com' }
    const start = createIdentityService({ leakedPasswordsFile: file, mail })
    await expect(start).rejects.toThrow('smtp://host:port')
    expect(openHandles(file)).toBe(0)

    const started = createIdentityService({
      leakedPasswordsFile: file,
      auditDays: 400,
      consoleUrl: 'https://console.example',
      clock: { now: () => Number.NaN },
    })
    await expect(started).rejects.toThrow()
    expect(openHandles(file)).toBe(0)
  },
)

/** A server of ranges that knows one password, and answers with padding. */
async function startRanges(known: string) {
  const asked: { path: string; padding: unknown }[] = []
  let answers = true
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', padding: request.headers['add-padding'] })
    if (!answers) return void response.writeHead(503).end()
    const rest = sha1(known).slice(5)
    response.end(`${'0'.repeat(35)}:2\r\n${rest}:7\r\n${sha1('padded').slice(5)}:0\r\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return {
    ...{ asked, url: `http://127.0.0.1:${port}/range/` },
    setAnswers(to: boolean) {
      answers = to
    },
  }
}

test('of a password, five digits of its hash are sent and no more; a hash of the padding is none that leaked', async () => {
  const ranges = await startRanges('leaked long ago')
  const { leaks, lines } = await open(ranges)

  expect(await leaks.isInRanges('ten_1', sha1('leaked long ago'))).toBe(true)
  expect(await leaks.isInRanges('ten_1', sha1('another one'))).toBe(false)
  expect(await leaks.isInRanges('ten_1', sha1('padded'))).toBe(false)

  const texts = ['leaked long ago', 'another one', 'padded']
  expect(ranges.asked).toEqual(
    texts.map((text) => ({ path: `/range/${sha1(text).slice(0, 5)}`, padding: 'true' })),
  )
  expect(lines).toEqual([])
})

test('where no answer comes, the password is accepted, and nothing is asked for a minute', async () => {
  const ranges = await startRanges('leaked long ago')
  const { leaks, lines, pass } = await open(ranges)
  const isIn = () => leaks.isInRanges('ten_1', sha1('leaked long ago'))
  ranges.setAnswers(false)

  expect(await isIn()).toBe(false)
  ranges.setAnswers(true)
  pass(59_000)
  expect(await isIn()).toBe(false)
  expect(ranges.asked).toHaveLength(1)
  pass(1_000)
  expect(await isIn()).toBe(true)

  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('The answer has the status 503.')
  expect(lines[0]).not.toContain(sha1('leaked long ago').slice(0, 5))
})

test('an address inside the network of the service is not asked', async () => {
  const { leaks, lines } = await open({ url: 'https://10.0.0.1/range/' })

  expect(await leaks.isInRanges('ten_1', sha1('leaked long ago'))).toBe(false)
  expect(lines[0]).toContain('RefusedAddress')
})

test('a list that was cut off or written over while it is open says so, and accepts no password', async () => {
  const hashes = ['a', 'b', 'c', 'd'].map(sha1).sort()
  const file = aFile(hashes.join('\n'))
  const { leaks } = await open({ file })
  const [, second = ''] = hashes
  expect(await leaks.isListed(second)).toBe(true)
  writeFileSync(file, 'x'.repeat(4 * 41))
  await expect(leaks.isListed(second)).rejects.toThrow('in each line')
  writeFileSync(file, '')
  await expect(leaks.isListed(second)).rejects.toThrow('in each line')
})
