import { expect, test } from 'vitest'
import { run, temporaryFolder } from './support.ts'

const SECONDS = 60_000

test(
  'operators are invited, listed, given a role and removed by the command',
  async () => {
    using folder = temporaryFolder()
    const data = ['--data', folder.path]
    const consoleUrl = ['--console-url', 'https://console.example.com']
    const invite = (email: string, role: string) =>
      run(['operator', 'invite', ...data, ...consoleUrl, '--email', email, '--role', role])
    const ada = await invite('ada@example.com', 'owner')
    expect(ada.stdout).toMatch(
      /^https:\/\/console\.example\.com\/console\/invitation\?token=[\w-]{43}\n$/,
    )
    await invite('bob@example.com', 'viewer')

    const list = async (): Promise<Record<string, string>[]> =>
      JSON.parse((await run(['operator', 'list', ...data, '--json'])).stdout)
    const listed = await list()
    expect(listed).toMatchObject([
      { email: 'ada@example.com', role: 'owner', tenants: 'all', state: 'invited' },
      { email: 'bob@example.com', role: 'viewer', tenants: 'all', state: 'invited' },
    ])
    expect((await run(['tenant', 'list', ...data])).stdout.trim()).toBe('(none)')

    const [first, second] = listed.map(({ id }) => id ?? '')
    const onlyOwner = await run(['operator', 'remove', first ?? '', ...data])
    expect(onlyOwner).toMatchObject({ code: 1, stderr: expect.stringContaining('only owner') })
    const role = ['operator', 'role', second ?? '', ...data, '--role', 'owner']
    expect((await run(role)).code).toBe(0)
    expect((await run(['operator', 'remove', first ?? '', ...data])).code).toBe(0)
    expect(await list()).toMatchObject([{ email: 'bob@example.com', role: 'owner' }])
  },
  SECONDS,
)

test(
  'an invitation needs the URL of the console, and an existing role',
  async () => {
    using folder = temporaryFolder()
    const invite = ['operator', 'invite', '--data', folder.path, '--email', 'ada@example.com']
    const noUrl = await run([...invite, '--role', 'owner'])
    expect(noUrl).toMatchObject({ code: 2, stderr: expect.stringContaining('--console-url') })
    const badUrl = ['--console-url', 'https://console.example.com/path']
    expect((await run([...invite, '--role', 'owner', ...badUrl])).code).toBe(2)
    const overHttp = await run([
      ...invite,
      '--role',
      'owner',
      '--console-url',
      'http://console.example.com',
    ])
    expect(overHttp).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Operators log in over https: https://console.example.com.'),
    })
    const badRole = await run([...invite, '--role', 'boss', '--console-url', 'https://c.example'])
    expect(badRole).toMatchObject({ code: 2, stderr: expect.stringContaining('owner') })
  },
  SECONDS,
)

test(
  'a service whose console would be reached over plain http does not start',
  async () => {
    using folder = temporaryFolder()
    const where = ['--data', folder.path, '--port', '0', '--console-url', 'http://localhost:4400']
    expect(await run(['serve', ...where])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('operators log in over https here'),
    })
  },
  SECONDS,
)
