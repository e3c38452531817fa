import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { SpentError } from './code.ts'
import { replace } from './replace.ts'

/** The stored responses of the latest refreshes. */
export interface RefreshAnswers {
  /** Whether this client may repeat a refresh. */
  isFor(client: object): boolean
  /**
   * The response to the first use of a token, if the same was asked.
   *
   * @param usedAt - When the token was used, in seconds since the epoch. Default: now.
   */
  find(token: string, question: string, usedAt?: number): Promise<object | undefined>
  keep(token: string, question: string, answer: object): Promise<void>
}

interface RefreshTokenModel {
  consumed: number | undefined
  consume(): Promise<void>
}

/** Thrown in place of using up a refresh token that was used before. */
class Repeated extends Error {
  readonly answer: object

  constructor(answer: object) {
    super('The refresh was repeated.')
    this.answer = answer
  }
}

type GrantHandler = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>
type FindToken = (
  this: object,
  id: string,
  options?: object,
) => Promise<RefreshTokenModel | undefined>
type FindAnswer = (usedAt?: number) => Promise<object | undefined>

/** Finds the stored response for each refresh in progress. */
const refreshes = new WeakMap<object, FindAnswer>()
const tokensOf = new WeakMap<Provider, TokenRules>()

/** The rules of the token endpoint. */
interface TokenRules {
  answers: RefreshAnswers
  /** Makes the changes of a request before its response; throws {@link SpentError}. */
  makeChanges(): Promise<void>
}

/** The provider of a tenant, which answers a repeated refresh with the response of the first one. */
export class RepeatableProvider extends Provider {
  constructor(issuer: string, configuration: Configuration, rules: TokenRules) {
    super(issuer, configuration)
    tokensOf.set(this, rules)
    const find: FindToken = replace(this, 'RefreshToken.find', async function (id, options) {
      const token = await find.call(this, id, options)
      const findAnswer = Provider.ctx && refreshes.get(Provider.ctx)
      const answer = token?.consumed && (await findAnswer?.(token.consumed))
      if (token && answer) {
        // oidc-provider checks client, grant and user first, and would then use the token up.
        token.consumed = undefined
        token.consume = () => Promise.reject(new Repeated(answer))
      }
      return token
    })
  }

  /** Called by the constructor of oidc-provider with each of its own grants. */
  override registerGrantType(name: string, handler: unknown, ...more: never[]): void {
    const own = handler as GrantHandler
    const used = name === 'refresh_token' ? repeatable(this, own) : changing(this, own)
    super.registerGrantType(name, used as never, ...more)
  }
}

/** Makes the changes of a request even if it is refused: a code that was used is used up. */
function changing(provider: Provider, handler: GrantHandler): GrantHandler {
  return async (ctx, next) => {
    try {
      await handler(ctx, next)
    } finally {
      await tokensOf.get(provider)?.makeChanges()
    }
  }
}

function repeatable(provider: Provider, handler: GrantHandler): GrantHandler {
  return async (ctx, next) => {
    const { answers } = tokensOf.get(provider) ?? {}
    const { client, params, entities } = ctx.oidc
    const { refresh_token: token, scope, resource } = params ?? {}
    if (!client || !answers?.isFor(client) || typeof token !== 'string') {
      return changing(provider, handler)(ctx, next)
    }
    const question = JSON.stringify([client.clientId, scope, resource])
    const find: FindAnswer = (usedAt) => answers.find(token, question, usedAt)
    refreshes.set(ctx, find)
    const refresh = changing(provider, async () => {
      await handler(ctx, next)
      if (entities.RotatedRefreshToken) await answers.keep(token, question, ctx.body as object)
    })
    try {
      await refresh(ctx, next)
    } catch (error) {
      const isSpent = error instanceof SpentError
      const answer = error instanceof Repeated ? error.answer : isSpent && (await find())
      if (!answer) throw error
      ctx.body = answer
    }
  }
}
