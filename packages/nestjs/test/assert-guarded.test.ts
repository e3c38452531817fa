import { Public, RequireUser } from '@latchkey/nestjs'
import { assertGuarded, logIn, startIdentity } from '@latchkey/testing'
import { Controller, Get, Post } from '@nestjs/common'
import { describe, expect, test } from 'vitest'
import { OPTIONS, PLATFORMS, startNest } from './support/start.ts'

@Controller()
class Pages {
  @Public()
  @Get('/')
  home(): string {
    return 'home'
  }

  @Get('/account')
  account(): string {
    return 'account'
  }

  @RequireUser({ roles: ['editor'] })
  @Post('/articles/:id')
  write(): string {
    return 'written'
  }
}

describe.each(PLATFORMS)('under NestJS on %s', (_name, createAdapter) => {
  test('assertGuarded() names handlers that are public and not listed, and routes beside the controllers', async () => {
    const app = await startNest(createAdapter(), Pages)
    await expect(assertGuarded(app)).rejects.toThrow(
      'GET / has a guard that did not decide: a visitor who asked for GET / got 200.',
    )
    expect(await assertGuarded(app, { public: ['GET /'] })).toMatchObject({
      guarded: ['GET /account', 'POST /articles/:id'],
      public: ['GET /'],
    })
    await app.close()
  })

  test('logIn() accepts a Nest application', async () => {
    await using identity = await startIdentity()
    const app = await startNest(createAdapter(), Pages, identity.clientOptions())
    const browser = await logIn(app, await identity.createUser())
    expect((await browser.get('/account')).text).toBe('account')
    await app.close()
  })
})

test('a route that is added beside the controllers is found, as no guard of Nest sees it', async () => {
  for (const [, createAdapter] of PLATFORMS.slice(0, 1)) {
    const app = await startNest(createAdapter(), Pages, OPTIONS, (made) => {
      made.getHttpAdapter().get('/metrics', (_req: object, res: { send(body: string): void }) => {
        res.send('metrics')
      })
    })
    await expect(assertGuarded(app, { public: ['GET /'] })).rejects.toThrow(
      'GET /metrics has no requireUser() in front of it.',
    )
    await app.close()
  }
})
