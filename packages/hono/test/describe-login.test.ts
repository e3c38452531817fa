import { createAuth, getUser, requireUser } from '@latchkey/hono'
import { describeLogin, type LoginAppOptions } from '@latchkey/testing/login'
import { Hono } from 'hono'
import { afterAll, describe, expect, it, test, vi } from 'vitest'

function createApp(options: LoginAppOptions) {
  return new Hono()
    .use(createAuth(options))
    .get('/account', requireUser(), (c) => c.text(`Hello ${getUser(c).email}`))
}

describeLogin(createApp, {}, { describe, it, afterAll })

test('a guard that a target in absolute form gets around is found', async () => {
  const cases: [name: string, body: () => Promise<void>][] = []
  const afters: (() => Promise<void>)[] = []
  describeLogin(
    (options) => {
      const app = createApp(options)
      return (request: Request) =>
        request.url === 'http://evil.example/account'
          ? new Response('Hello ada@example.com')
          : app.fetch(request)
    },
    {},
    {
      describe: (_name, body) => body(),
      it: (name, body) => cases.push([name, body]),
      after: (body) => afters.push(body),
    },
  )
  const [, tryTargets] = cases.find(([name]) => name.includes('other spellings of its path')) ?? []
  try {
    await expect(tryTargets?.()).rejects.toThrow(
      'GET http://evil.example/account shows what is guarded',
    )
  } finally {
    // The table of the cases that were not run would say that they failed.
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    for (const body of afters) await body()
    write.mockRestore()
  }
})
