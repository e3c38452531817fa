import 'reflect-metadata'
import { CurrentUser, LatchkeyModule } from '@latchkey/nestjs'
import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { listening, options, port } from '../../../../test/bundles/applications/settings.js'

class Plans {
  plan(user) {
    return user.plan
  }
}

class Application {}

// What a compiler makes of decorators.
const { plan } = Object.getOwnPropertyDescriptors(Plans.prototype)
Controller()(Plans)
Get('plan')(Plans.prototype, 'plan', plan)
CurrentUser()(Plans.prototype, 'plan', 0)
Module({ imports: [LatchkeyModule.forRoot(options)], controllers: [Plans] })(Application)

async function start() {
  const app = await NestFactory.create(Application, new ExpressAdapter(), {
    logger: ['error', 'warn'],
  })
  await app.listen(port, 'localhost', listening)
}
void start()
