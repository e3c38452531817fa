import type { AddressInfo, Server } from 'node:net'
import { Public, RequireUser } from '@latchkey/nestjs'
import { Controller, Get, type INestMicroservice } from '@nestjs/common'
import {
  ClientProxyFactory,
  EventPattern,
  MessagePattern,
  type MicroserviceOptions,
  Transport,
} from '@nestjs/microservices'
import { ExpressAdapter } from '@nestjs/platform-express'
import { lastValueFrom } from 'rxjs'
import request from 'supertest'
import { expect, test } from 'vitest'
import { OPTIONS, startNest } from './support/start.ts'

const ran: string[] = []

@Controller()
class Orders {
  @MessagePattern('close')
  close(): string {
    ran.push('close')
    return 'closed'
  }

  @RequireUser({ roles: ['staff'] })
  @MessagePattern('delete')
  remove(): string {
    ran.push('delete')
    return 'deleted'
  }

  @EventPattern('paid')
  paid(_data: unknown): void {
    ran.push('paid')
  }

  @Public()
  @MessagePattern('count')
  count(): number {
    ran.push('count')
    return 3
  }

  @Public()
  @Get('/orders')
  @MessagePattern('list')
  list(): object {
    return ['one']
  }
}

@RequireUser({ roles: ['staff'] })
@Controller()
class Special extends Orders {}

const HYBRIDS = [
  { name: 'with a configuration of its own', controller: Orders, hybrid: {} },
  { name: 'started with the application', controller: Orders, hybrid: { inheritAppConfig: true } },
  { name: 'whose handlers are inherited', controller: Special, hybrid: {} },
]

test.each(HYBRIDS)('a microservice $name runs public handlers only', async (asked) => {
  ran.length = 0
  const { controller, hybrid } = asked
  const options = { port: 0, host: '127.0.0.1' }
  const app = await startNest(new ExpressAdapter() as never, controller, OPTIONS, (made) => {
    made.connectMicroservice<MicroserviceOptions>({ transport: Transport.TCP, options }, hybrid)
  })
  await app.startAllMicroservices()
  const [microservice] = app.getMicroservices() as [INestMicroservice]
  const { port } = microservice.unwrap<Server>().address() as AddressInfo
  const client = ClientProxyFactory.create({
    transport: Transport.TCP,
    options: { ...options, port },
  })
  const send = (pattern: string): Promise<unknown> => lastValueFrom(client.send(pattern, {}))

  await expect(send('close')).rejects.toBeDefined()
  await expect(send('delete')).rejects.toBeDefined()
  await lastValueFrom(client.emit('paid', {}), { defaultValue: undefined })
  expect(await send('count')).toBe(3)
  expect(await send('list')).toEqual(['one'])
  expect((await request(app.getHttpServer()).get('/orders')).body).toEqual(['one'])
  // By now, the event has been handled too.
  expect(ran).toEqual(['count'])
  await client.close()
  await app.close()
})
