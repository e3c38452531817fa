import { type AuthOptions, ConfigError, LatchkeyModule } from '@latchkey/nestjs'
import { logIn, startIdentity } from '@latchkey/testing'
import { Controller, Get, Inject, Module, type Type } from '@nestjs/common'
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { describe, expect, test } from 'vitest'
import { OPTIONS, PLATFORMS } from './support/start.ts'

@Controller()
class Pages {
  @Get('/account')
  account(): string {
    return 'account'
  }
}

/** Starts an application as `main.ts` does. */
async function start(adapter: AbstractHttpAdapter, imports: object[]) {
  class RootModule {}
  Module({ imports: imports as Type[], controllers: [Pages] })(RootModule)
  const app = await NestFactory.create(RootModule, adapter, { logger: false, abortOnError: false })
  await app.init()
  if (adapter.getType() === 'fastify') await app.getHttpAdapter().getInstance().ready()
  return app
}

describe.each(PLATFORMS)('under NestJS on %s', (_name, createAdapter) => {
  test('options can come from other providers', async () => {
    await using identity = await startIdentity()
    class Settings {
      readonly login = identity.clientOptions()
    }
    class SettingsModule {}
    Module({ providers: [Settings], exports: [Settings] })(SettingsModule)
    const login = LatchkeyModule.forRootAsync({
      imports: [SettingsModule],
      inject: [Settings],
      useFactory: async (settings: Settings) => settings.login as AuthOptions,
    })
    const app = await start(createAdapter(), [login])
    const browser = await logIn(app.getHttpServer(), await identity.createUser())
    expect((await browser.get('/account')).text).toBe('account')
    await app.close()
  })

  test('an application with invalid options does not start, and names all of them', async () => {
    const options = { ...OPTIONS, issuerBaseURL: 'https://login.example.com', baseUrl: 'app' }
    const started = start(createAdapter(), [LatchkeyModule.forRoot(options as object)])
    await expect(started).rejects.toThrow(ConfigError)
    await expect(started).rejects.toThrow(/It is "issuer" here\.\n.*baseUrl/)
  })

  test('a login that is imported twice is refused', async () => {
    class Feature {}
    Module({ imports: [LatchkeyModule.forRoot(OPTIONS)] })(Feature)
    const started = start(createAdapter(), [LatchkeyModule.forRoot(OPTIONS), Feature])
    await expect(started).rejects.toThrow('Import it once, in the root module.')
  })
})

test('the module without forRoot() is refused, in the root module and in another', async () => {
  class Feature {}
  Module({ imports: [LatchkeyModule] })(Feature)
  for (const imports of [[LatchkeyModule], [LatchkeyModule.forRoot(OPTIONS), Feature]]) {
    const started = start(new ExpressAdapter() as AbstractHttpAdapter, imports)
    await expect(started).rejects.toThrow(ConfigError)
    await expect(started).rejects.toThrow(
      'is imported without forRoot(). Write imports: [LatchkeyModule.forRoot()] in the root module, and no import of it elsewhere.',
    )
  }
})

test('a platform that the login does not know is refused', async () => {
  class OtherAdapter extends ExpressAdapter {
    override getType(): string {
      return 'other'
    }
  }
  const adapter = new OtherAdapter() as AbstractHttpAdapter
  const started = start(adapter, [LatchkeyModule.forRoot(OPTIONS)])
  await expect(started).rejects.toThrow('Use @nestjs/platform-express or @nestjs/platform-fastify.')
})

test('the service can be injected where the module is not imported', async () => {
  const { LatchkeyService } = await import('@latchkey/nestjs')
  class Probe {
    readonly latchkey: InstanceType<typeof LatchkeyService>

    constructor(@Inject(LatchkeyService) latchkey: InstanceType<typeof LatchkeyService>) {
      this.latchkey = latchkey
    }
  }
  class Feature {}
  Module({ providers: [Probe], exports: [Probe] })(Feature)
  const adapter = new ExpressAdapter() as AbstractHttpAdapter
  const app = await start(adapter, [Feature, LatchkeyModule.forRoot(OPTIONS)])
  expect(app.get(Probe, { strict: false }).latchkey.health().provider).toBeDefined()
  await app.close()
})
