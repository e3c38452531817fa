import { type AppUser, ConfigError, type AuthOptions as CoreAuthOptions } from '@latchkey/core'
import {
  type DynamicModule,
  Inject,
  type NestModule,
  Optional,
  type Provider,
} from '@nestjs/common'
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core'
import { Connections } from './connections.ts'
import { secureGateways } from './gateways.ts'
import { checkFieldResolvers } from './graphql.ts'
import { LatchkeyErrorFilter } from './latchkey-error-filter.ts'
import { LatchkeyGuard } from './latchkey-guard.ts'
import { keepHandle, LatchkeyService } from './latchkey-service.ts'
import { guardMessages } from './microservices.ts'
import { mount } from './mount.ts'

/**
 * The options of {@link LatchkeyModule}.
 *
 * @typeParam Exchange - The third argument of the hook `onError`: `{ req, res }` on Express, `{
 *   request, reply }` on Fastify.
 */
export type AuthOptions<U = AppUser, Exchange = unknown> = CoreAuthOptions<U, Exchange>

/**
 * @deprecated Use {@link AuthOptions}, its name in every package.
 */
export type LatchkeyModuleOptions<U = AppUser, Exchange = unknown> = AuthOptions<U, Exchange>

/**
 * The options of {@link LatchkeyModule}, created by a factory from other providers such as
 * `ConfigService`.
 */
export interface LatchkeyModuleAsyncOptions<U = AppUser, Exchange = unknown>
  extends Pick<DynamicModule, 'imports'> {
  /** The providers that Nest passes to the factory. */
  readonly inject?: readonly unknown[]
  readonly useFactory: (
    ...injected: never[]
  ) => AuthOptions<U, Exchange> | Promise<AuthOptions<U, Exchange>>
}

const OPTIONS = Symbol('options')

/**
 * Adds the login, callback and logout routes, sessions, and a guard for every handler. The guard
 * lets in only logged-in users, except to handlers with `@Public()`. Import this module once, in
 * the root module.
 */
export class LatchkeyModule implements NestModule {
  readonly #options: AuthOptions
  readonly #host: HttpAdapterHost
  readonly #config: ApplicationConfig
  readonly #service: LatchkeyService
  readonly #modules: ModulesContainer

  /** Called by Nest. */
  constructor(
    options: AuthOptions | undefined,
    host: HttpAdapterHost,
    config: ApplicationConfig,
    service: LatchkeyService,
    modules: ModulesContainer,
  ) {
    if (!options) throw new ConfigError([WITHOUT_OPTIONS])
    this.#options = options
    this.#host = host
    this.#config = config
    this.#service = service
    this.#modules = modules
    const connections = new Connections(service)
    // This guard runs before all others, because other guards are added later, even those of
    // providers.
    config.useGlobalGuards(new LatchkeyGuard(connections))
    secureGateways(config, modules, connections)
    guardMessages(modules)
  }

  /**
   * Creates the module with these options. A missing option is read from its environment variable.
   */
  static forRoot<U = AppUser, Exchange = unknown>(
    options: AuthOptions<U, Exchange> = {},
  ): DynamicModule {
    return moduleOf({ provide: OPTIONS, useValue: options })
  }

  /** Creates the module with options that a factory returns. */
  static forRootAsync<U = AppUser, Exchange = unknown>({
    imports = [],
    inject = [],
    useFactory,
  }: LatchkeyModuleAsyncOptions<U, Exchange>): DynamicModule {
    const provider = {
      provide: OPTIONS,
      inject: [...inject] as never[],
      useFactory: async (...injected: never[]) => (await useFactory(...injected)) ?? {},
    }
    return { ...moduleOf(provider), imports }
  }

  /**
   * Mounts the login. Nest calls this method after the body parser and the application's
   * `app.use()`, and before the routes.
   *
   * @throws {@link ConfigError} listing everything wrong with the options, and the GraphQL field
   *   resolvers whose guard Nest would skip.
   */
  async configure(): Promise<void> {
    checkFieldResolvers(this.#modules)
    const { httpAdapter } = this.#host
    keepHandle(this.#service, await mount(httpAdapter, this.#options))
    // Nest tries this filter first, because it is the last global filter that is added.
    this.#config.useGlobalFilters(new LatchkeyErrorFilter(httpAdapter))
  }
}

const WITHOUT_OPTIONS = {
  option: 'LatchkeyModule',
  remedy:
    'is imported without forRoot(). Write imports: [LatchkeyModule.forRoot()] in the root module, and no import of it elsewhere.',
}

function moduleOf(options: Provider): DynamicModule {
  return {
    module: LatchkeyModule,
    global: true,
    providers: [options, LatchkeyService],
    exports: [LatchkeyService],
  }
}

const parameters = [OPTIONS, HttpAdapterHost, ApplicationConfig, LatchkeyService, ModulesContainer]
for (const [index, token] of parameters.entries()) {
  Inject(token)(LatchkeyModule, undefined, index)
}
// Without forRoot(), Nest finds neither the options nor the service. Both are optional, so that the
// constructor reports this fault in place of Nest.
for (const index of [0, 3]) Optional()(LatchkeyModule, undefined, index)
