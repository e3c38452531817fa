import { type AuthOptions, LatchkeyModule } from '@latchkey/nestjs'
import { type INestApplication, Module, type Provider, type Type } from '@nestjs/common'
import type { AbstractHttpAdapter } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { Test } from '@nestjs/testing'

/** The platforms of Nest, by name. */
export const PLATFORMS: [name: string, create: () => AbstractHttpAdapter][] = [
  ['Express', () => new ExpressAdapter() as AbstractHttpAdapter],
  ['Fastify', () => new FastifyAdapter() as AbstractHttpAdapter],
]

/** Options that no provider has to be there for. */
export const OPTIONS: AuthOptions = {
  issuer: 'https://login.example.com',
  clientId: 'app',
  clientSecret: 'secret',
  baseUrl: 'http://localhost:3000',
  session: { secret: 'a secret of tests that protects nothing' },
  logger: false,
}

/** Starts an application of Nest with one controller, as its users do in tests. */
export async function startNest(
  adapter: AbstractHttpAdapter,
  controller: Type,
  options: object = OPTIONS,
  prepare: (app: INestApplication) => void = () => {},
  providers: Provider[] = [],
): Promise<INestApplication> {
  class RootModule {}
  Module({
    imports: [LatchkeyModule.forRoot(options as AuthOptions)],
    controllers: [controller],
    providers,
  })(RootModule)
  const testing = await Test.createTestingModule({ imports: [RootModule] }).compile()
  const app = testing.createNestApplication(adapter, { logger: false })
  prepare(app)
  await app.init()
  if (adapter.getType() === 'fastify') await app.getHttpAdapter().getInstance().ready()
  return app
}
