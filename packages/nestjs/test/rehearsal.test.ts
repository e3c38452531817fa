import * as diagnostics from 'node:diagnostics_channel'
import { RequireUser } from '@latchkey/nestjs'
import { logIn, startIdentity } from '@latchkey/testing'
import { ApolloDriver } from '@nestjs/apollo'
import { Controller, Get } from '@nestjs/common'
import { GraphQLModule, Query, Resolver } from '@nestjs/graphql'
import { ExpressAdapter } from '@nestjs/platform-express'
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectIo, headersOf, listen } from './support/connections.ts'
import { PLATFORMS, startNest } from './support/start.ts'

let checks = 0
const isOnDuty = (): boolean => {
  checks += 1
  return true
}

@RequireUser({ roles: ['staff'], check: isOnDuty })
@Controller('staff')
class Staff {
  @RequireUser({ claims: { plan: 'gold' }, enforce: false })
  @Get('/gold')
  gold(): string {
    return 'gold'
  }

  @RequireUser({ roles: ['editor'], enforce: false })
  @Get('/editors')
  editors(): string {
    return 'editors'
  }
}

@RequireUser({ roles: ['staff'], enforce: false })
@Controller('rehearsed')
class Rehearsed {
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

  @RequireUser({ claims: { plan: 'gold' }, enforce: false })
  @Get('/nothing')
  nothing(): string {
    return 'nothing'
  }

  @RequireUser({ claims: { plan: 'gold' }, enforce: true })
  @Get('/everything')
  everything(): string {
    return 'everything'
  }
}

@WebSocketGateway()
class Desk {
  @SubscribeMessage('any')
  any(): object {
    return { event: 'any', data: {} }
  }
}

@RequireUser({ roles: ['staff'] })
@WebSocketGateway()
class StaffDesk {
  @RequireUser({ claims: { plan: 'gold' }, enforce: false })
  @SubscribeMessage('gold')
  gold(): object {
    return { event: 'gold', data: {} }
  }
}

@RequireUser({ roles: ['staff'] })
@Resolver()
class StaffQueries {
  @RequireUser({ claims: { plan: 'gold' }, enforce: false })
  @Query()
  gold(): string {
    return 'gold'
  }
}

const BASE = 'http://localhost:3000'
const rolesFrom = (user: object): string[] => (user as { roles?: string[] }).roles ?? []

let rehearsed: string[] = []
const note = (event: unknown): void => {
  rehearsed.push((event as { failed: string }).failed)
}

beforeEach(() => {
  rehearsed = []
  checks = 0
  diagnostics.subscribe('latchkey:access.rehearsed', note)
})
afterEach(() => void diagnostics.unsubscribe('latchkey:access.rehearsed', note))

describe.each(PLATFORMS)('under NestJS on %s, enforce: false', (_name, createAdapter) => {
  test('of a handler leaves the rules of its controller in force', async () => {
    await using identity = await startIdentity()
    const options = { ...identity.clientOptions(), rolesFrom }
    const app = await startNest(createAdapter(), Staff, options)
    const logInAs = async (...roles: string[]) =>
      logIn(app.getHttpServer(), await identity.createUser({ claims: { roles } }))
    const guest = await logInAs('guest')
    const staff = await logInAs('staff')

    expect((await guest.get('/staff/gold')).status).toBe(403)
    expect((await guest.get('/staff/editors')).status).toBe(403)
    expect(rehearsed).toEqual([])
    expect((await staff.get('/staff/gold')).text).toBe('gold')
    expect((await staff.get('/staff/editors')).text).toBe('editors')
    expect(rehearsed).toEqual(['claims.plan', 'roles'])
    expect(checks).toBe(2)
    await app.close()
  })

  test('of a controller leaves the rules of its handlers in force', async () => {
    await using identity = await startIdentity()
    const options = { ...identity.clientOptions(), rolesFrom }
    const app = await startNest(createAdapter(), Rehearsed, options)
    const logInWith = async (claims: object) =>
      logIn(app.getHttpServer(), await identity.createUser({ claims } as object))
    const guest = await logInWith({ roles: ['guest'] })
    const gold = await logInWith({ roles: ['guest'], plan: 'gold' })
    const editor = await logInWith({ roles: ['editor'] })

    expect((await guest.get('/rehearsed/gold')).status).toBe(403)
    expect((await guest.get('/rehearsed/editors')).status).toBe(403)
    expect((await gold.get('/rehearsed/everything')).status).toBe(403)
    expect(rehearsed).toEqual([])
    expect((await gold.get('/rehearsed/gold')).text).toBe('gold')
    expect(rehearsed).toEqual(['roles'])
    expect((await editor.get('/rehearsed/editors')).text).toBe('editors')
    expect(rehearsed).toEqual(['roles'])
    expect((await gold.get('/rehearsed/nothing')).text).toBe('nothing')
    expect(rehearsed).toEqual(['roles', 'roles'])
    await app.close()
  })
})

test('enforce: false of a message handler leaves the rules of its gateway in force', async () => {
  await using identity = await startIdentity()
  const options = { ...identity.clientOptions({ baseUrl: BASE }), rolesFrom }
  const providers = [Desk, StaffDesk]
  const running = await listen(options, { adapter: new ExpressAdapter() as never, providers })
  const connectAs = async (...roles: string[]) => {
    const user = await identity.createUser({ claims: { roles } })
    return connectIo(running, await headersOf(running, user, BASE))
  }
  const guest = await connectAs('guest')
  const staff = await connectAs('staff')

  expect(await guest.ask('gold')).toMatchObject({ data: { code: 'LATCHKEY_FORBIDDEN' } })
  expect(rehearsed).toEqual([])
  expect((await staff.ask('gold')).event).toBe('gold')
  expect(rehearsed).toEqual(['claims.plan'])
  guest.close()
  staff.close()
  await running.app.close()
})

test('enforce: false of a query leaves the rules of its resolver in force', async () => {
  await using identity = await startIdentity()
  const graphql = GraphQLModule.forRoot({
    driver: ApolloDriver,
    typeDefs: 'type Query { gold: String! }',
  } as never)
  const running = await listen(
    { ...identity.clientOptions({ baseUrl: BASE }), rolesFrom },
    {
      adapter: new ExpressAdapter() as never,
      providers: [StaffQueries],
      imports: [graphql],
    },
  )
  const askAs = async (...roles: string[]) => {
    const user = await identity.createUser({ claims: { roles } })
    const browser = await logIn(running.app.getHttpServer(), user)
    return (await browser.post('/graphql').set('origin', BASE).send({ query: '{ gold }' })).body
  }

  expect(await askAs('guest')).toMatchObject({
    errors: [{ extensions: { latchkeyCode: 'LATCHKEY_FORBIDDEN' } }],
  })
  expect(rehearsed).toEqual([])
  expect((await askAs('staff')).data).toEqual({ gold: 'gold' })
  expect(rehearsed).toEqual(['claims.plan'])
  await running.app.close()
})
