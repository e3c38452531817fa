import {
  CurrentAuth,
  CurrentData,
  CurrentUser,
  getUser,
  LatchkeyService,
  Public,
  type RequestAuth,
  type SessionData,
  type User,
} from '@latchkey/nestjs'
import { logIn, startIdentity } from '@latchkey/testing'
import {
  type CallHandler,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Inject,
  type NestInterceptor,
  Post,
  Redirect,
  Render,
  Req,
  UseGuards,
} from '@nestjs/common'
import { finalize, map, type Observable } from 'rxjs'
import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { OPTIONS, PLATFORMS, startNest } from './support/start.ts'

/** A guard of the application, which runs behind that of the login. */
class Even {
  canActivate(context: ExecutionContext): boolean {
    return getUser(context.switchToHttp().getRequest<object>()) !== undefined
  }
}

@Controller()
class Pages {
  readonly #latchkey: LatchkeyService

  constructor(@Inject(LatchkeyService) latchkey: LatchkeyService) {
    this.#latchkey = latchkey
  }

  @Get('/me')
  me(@CurrentUser() user: User, @CurrentAuth() auth: RequestAuth): object {
    return { email: user.email, isUser: auth.user?.sub === user.sub }
  }

  @Public()
  @Get('/maybe')
  maybe(@CurrentAuth() auth: RequestAuth): string {
    return auth.isAuthenticated ? 'in' : 'out'
  }

  @Public()
  @Get('/careless')
  careless(@CurrentUser() user: User): string {
    return user.sub
  }

  @Public()
  @UseGuards(Even)
  @Get('/own-guard')
  ownGuard(): string {
    return 'passed'
  }

  @Post('/cart')
  async fill(@CurrentData() data: SessionData): Promise<object> {
    await data.set({ items: 3 })
    return await data.get()
  }

  @Public()
  @Get('/enter')
  enter(@CurrentAuth() auth: RequestAuth): unknown {
    return auth.login({ returnTo: '/me' })
  }

  @Post('/leave')
  async leave(@CurrentAuth() auth: RequestAuth): Promise<void> {
    await auth.logout()
  }

  @Post('/leave/with-result')
  async leaveWithResult(@CurrentAuth() auth: RequestAuth): Promise<object> {
    await auth.logout()
    return { ok: true }
  }

  @Post('/leave/with-view')
  @Render('left')
  async leaveWithView(@CurrentAuth() auth: RequestAuth): Promise<object> {
    await auth.logout()
    return { name: 'Ada' }
  }

  @Post('/leave/with-redirect')
  @Redirect('/maybe')
  async leaveWithRedirect(@CurrentAuth() auth: RequestAuth): Promise<void> {
    await auth.logout()
  }

  @Get('/devices')
  async devices(@Req() req: object): Promise<number> {
    const { sub } = getUser(req)
    return (await this.#latchkey.sessions.list(sub)).length
  }
}

class Watching implements NestInterceptor {
  readonly ended: string[] = []

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(finalize(() => this.ended.push(context.getHandler().name)))
  }
}

class Wrapping implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data) => ({ data })))
  }
}

@Catch()
class CatchAll implements ExceptionFilter {
  readonly caught: unknown[] = []

  catch(error: unknown): void {
    this.caught.push(error)
  }
}

describe.each(PLATFORMS)('under NestJS on %s', (_name, createAdapter) => {
  test('parameters have the user, their session and its data', async () => {
    await using identity = await startIdentity()
    const app = await startNest(createAdapter(), Pages, identity.clientOptions())
    const user = await identity.createUser({ email: 'ada@example.com' })
    const browser = await logIn(app.getHttpServer(), user)

    expect((await browser.get('/me')).body).toEqual({ email: 'ada@example.com', isUser: true })
    expect((await browser.get('/maybe')).text).toBe('in')
    expect((await browser.post('/cart')).body).toEqual({ items: 3 })
    expect((await browser.get('/devices')).text).toBe('1')
    expect((await browser.get('/own-guard')).text).toBe('passed')
    await app.close()
  })

  test('a public handler that wants a user answers a visitor with 401, and so does a guard behind it', async () => {
    const app = await startNest(createAdapter(), Pages)
    const visitor = request(app.getHttpServer())
    expect((await visitor.get('/maybe')).text).toBe('out')
    for (const path of ['/careless', '/own-guard']) {
      const answer = await visitor.get(path)
      expect([answer.status, answer.body.code]).toEqual([401, 'LATCHKEY_LOGIN_REQUIRED'])
      expect(answer.headers['cache-control']).toBe('private, no-store')
    }
    await app.close()
  })

  test('a handler can redirect to the login and log its user out, and interceptors see both responses end', async () => {
    await using identity = await startIdentity()
    const watching = new Watching()
    const app = await startNest(createAdapter(), Pages, identity.clientOptions(), (made) => {
      made.useGlobalInterceptors(watching)
    })
    const browser = await logIn(app.getHttpServer(), await identity.createUser(), {
      loginPath: '/enter',
    })
    expect((await browser.get('/me')).status).toBe(200)

    const left = await browser.post('/leave').set('accept', 'text/html')
    expect(left.status).toBe(303)
    expect((await browser.get('/me')).status).toBe(401)
    expect(watching.ended).toEqual(['enter', 'me', 'leave'])
    await app.close()
  })

  test.each(['/leave', '/leave/with-result', '/leave/with-view', '/leave/with-redirect'])(
    'a handler that has logged its user out sends no second response (%s)',
    async (path) => {
      await using identity = await startIdentity()
      const filter = new CatchAll()
      const app = await startNest(createAdapter(), Pages, identity.clientOptions(), (made) => {
        made.useGlobalInterceptors(new Wrapping())
        made.useGlobalFilters(filter)
      })
      const browser = await logIn(app.getHttpServer(), await identity.createUser())

      const left = await browser.post(path).set('accept', 'text/html')

      expect([left.status, left.headers.location]).toEqual([
        303,
        expect.stringMatching(/logout|end/),
      ])
      expect((await browser.get('/maybe')).body).toEqual({ data: 'out' })
      expect(filter.caught).toEqual([])
      await app.close()
    },
  )

  test('LatchkeyService works after the application has started, and throws a clear error before', async () => {
    const app = await startNest(createAdapter(), Pages, OPTIONS)
    expect(app.get(LatchkeyService).health()).toMatchObject({ provider: 'unknown' })
    await expect(app.get(LatchkeyService).ready()).rejects.toThrow('login.example.com')
    expect(() => new LatchkeyService().health()).toThrow('before the application had started')
    await app.close()
  })
})
