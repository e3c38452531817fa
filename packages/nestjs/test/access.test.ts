import { ConfigError, Public, RequireUser } from '@latchkey/nestjs'
import { logIn, startIdentity } from '@latchkey/testing'
import {
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  Post,
  UseFilters,
} from '@nestjs/common'
import { APP_GUARD, ExternalContextCreator } from '@nestjs/core'
import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { OPTIONS, PLATFORMS, startNest } from './support/start.ts'

const caught: unknown[] = []

@Catch()
class CatchAll implements ExceptionFilter {
  catch(error: unknown): void {
    caught.push(error)
  }
}

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

  @UseFilters(CatchAll)
  @Get('/filtered')
  filtered(): string {
    return 'filtered'
  }

  @RequireUser({ roles: ['editor'] })
  @Post('/articles')
  write(): string {
    return 'written'
  }
}

@RequireUser({ roles: ['staff'] })
@Controller('staff')
class Staff {
  @Get('/')
  list(): string {
    return 'staff'
  }

  @RequireUser({ claims: { plan: 'gold' } })
  @Get('/gold')
  gold(): string {
    return 'gold'
  }

  @RequireUser({ roles: ['editor'] })
  @Get('/editors')
  editors(): string {
    return 'editors'
  }

  @Public()
  @Get('/health')
  health(): string {
    return 'healthy'
  }
}

@Public()
@Controller('docs')
class Docs {
  @Get('/')
  read(): string {
    return 'docs'
  }

  @RequireUser()
  @Get('/drafts')
  drafts(): string {
    return 'drafts'
  }
}

describe.each(PLATFORMS)('under NestJS on %s', (_name, createAdapter) => {
  test('a handler without a decorator asks for a login, and one with @Public() does not', async () => {
    const app = await startNest(createAdapter(), Pages)
    const visitor = request(app.getHttpServer())

    expect((await visitor.get('/')).text).toBe('home')
    expect((await visitor.get('/account')).body).toMatchObject({ code: 'LATCHKEY_LOGIN_REQUIRED' })
    expect((await visitor.get('/account')).status).toBe(401)
    expect((await visitor.post('/articles')).status).toBe(401)
    expect((await visitor.get('/nowhere')).status).toBe(404)
    await app.close()
  })

  test('a page of the application’s own prefix and version leads to the login and back', async () => {
    await using identity = await startIdentity()
    const app = await startNest(createAdapter(), Pages, identity.clientOptions(), (made) => {
      made.setGlobalPrefix('v1')
    })
    const browser = await logIn(app.getHttpServer(), await identity.createUser())

    expect((await browser.get('/v1/account')).text).toBe('account')
    const visitor = request(app.getHttpServer())
    const sent = await visitor.get('/v1/account').set('accept', 'text/html')
    expect(sent.status).toBe(302)
    expect(sent.headers.location).toMatch(identity.issuer)
    await app.close()
  })

  test('the requirement of a controller counts for its handlers, and theirs adds to it', async () => {
    await using identity = await startIdentity()
    const options = { ...identity.clientOptions(), rolesFrom: (user: object) => rolesOf(user) }
    const app = await startNest(createAdapter(), Staff, options)
    const user = await identity.createUser({ claims: { roles: ['staff'], plan: 'free' } })
    const browser = await logIn(app.getHttpServer(), user)
    const statusOf = async (path: string) => (await browser.get(path)).status

    expect(await statusOf('/staff')).toBe(200)
    expect(await statusOf('/staff/gold')).toBe(403)
    expect(await statusOf('/staff/editors')).toBe(403)
    expect((await request(app.getHttpServer()).get('/staff/health')).text).toBe('healthy')
    expect((await request(app.getHttpServer()).get('/staff')).status).toBe(401)
    await app.close()
  })

  test('a handler of a public controller can ask for a login', async () => {
    const app = await startNest(createAdapter(), Docs)
    expect((await request(app.getHttpServer()).get('/docs')).text).toBe('docs')
    expect((await request(app.getHttpServer()).get('/docs/drafts')).status).toBe(401)
    await app.close()
  })

  test('a filter for every error, on the very handler, does not see what the guard refuses', async () => {
    caught.length = 0
    const app = await startNest(createAdapter(), Pages)
    const answer = await request(app.getHttpServer()).get('/filtered')
    expect([answer.status, answer.body.code, caught]).toEqual([401, 'LATCHKEY_LOGIN_REQUIRED', []])
    await app.close()
  })

  test('the guard runs before the application’s guards, wherever these are added', async () => {
    const ran: string[] = []
    const noting = (name: string): CanActivate => ({
      canActivate: () => {
        ran.push(name)
        return true
      },
    })
    const app = await startNest(
      createAdapter(),
      Pages,
      OPTIONS,
      (made) => {
        made.useGlobalGuards(noting('main.ts'))
      },
      [{ provide: APP_GUARD, useValue: noting('APP_GUARD') }],
    )
    await request(app.getHttpServer()).get('/account')
    expect(ran).toEqual([])
    await request(app.getHttpServer()).get('/')
    expect(ran).toEqual(['APP_GUARD', 'main.ts'])
    await app.close()
  })

  test('a handler of another transport is refused, unless it is public', async () => {
    const app = await startNest(createAdapter(), Pages)
    const pages = app.get(Pages)
    const contexts = app.get(ExternalContextCreator)
    const resolve = (name: 'account' | 'home') =>
      contexts.create(
        pages,
        pages[name],
        name,
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        'telegram',
      )
    await expect(resolve('account')()).rejects.toThrow(
      'Pages.account() handles "telegram", which has not passed the login',
    )
    expect(await resolve('home')()).toBe('home')
    await app.close()
  })
})

test('decorators that contradict each other, or ask for nothing, are refused when the class is read', () => {
  const twice = (): unknown => {
    class Twice {
      @Public()
      @RequireUser()
      read(): void {}
    }
    return Twice
  }
  expect(twice).toThrow('stand on one handler or controller more than once')
  expect(() => RequireUser({ roles: [] })).toThrow(ConfigError)
  expect(() => RequireUser({ role: 'admin' } as object)).toThrow('It is "roles" here.')
  const bare = (): unknown => {
    class Bare {
      // @ts-expect-error It is @RequireUser().
      @RequireUser
      read(): void {}
    }
    return Bare
  }
  expect(bare).toThrow('Parentheses are missing')
})

test('a guard that accepts bearer tokens without the option answers 500, and lets nobody in', async () => {
  @Controller()
  class Api {
    @RequireUser({ accept: ['session', 'bearer'] })
    @Get('/api')
    read(): string {
      return 'api'
    }
  }
  for (const [, createAdapter] of PLATFORMS) {
    const app = await startNest(createAdapter(), Api, OPTIONS)
    expect((await request(app.getHttpServer()).get('/api')).status).toBe(500)
    await app.close()
  }
})

function rolesOf(user: object): string[] {
  return (user as { roles?: string[] }).roles ?? []
}
