import { type Configuration, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { SpentError } from './code.ts'
import { DEVICE_GRANT } from './device-code.ts'
import { replace, unknownProvider } from './replace.ts'

/** The stored responses of the latest refreshes. */
export interface RefreshAnswers {
  /** Whether a client may repeat a refresh. */
  isFor(client: object): boolean
  /**
   * The response to the first use of a token, if that request was the same.
   *
   * @param usedAt - The time at which the token was used, in seconds since the epoch. Default: now.
   */
  find(token: string, question: string, usedAt?: number): Promise<object | undefined>
  keep(token: string, question: string, answer: object): Promise<void>
}

/** The rules of the token endpoint. */
interface TokenRules {
  answers: RefreshAnswers
  /** Stores the changes of a request before its response. Throws {@link SpentError}. */
  makeChanges(): Promise<void>
  /** Forgets the changes of a request. */
  dropChanges(): void
  /**
   * Counts a request for the tokens of a device that is not confirmed yet. Throws if the request
   * comes too early.
   */
  countPoll(ctx: KoaContextWithOIDC): Promise<void>
}

type GrantHandler = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>

/**
 * Creates the provider of a tenant. The provider stores the changes of a token request before the
 * response, and answers a repeated refresh with the response of the first refresh.
 */
export function createProvider(
  issuer: string,
  configuration: Configuration,
  rules: TokenRules,
): Provider {
  const registered = new Set<string>()
  class TenantProvider extends Provider {
    /** oidc-provider's constructor calls this for each of its own grants. */
    override registerGrantType(name: string, handler: unknown, ...more: never[]): void {
      const own = handler as GrantHandler
      const used =
        name === 'refresh_token'
          ? refreshing(own, rules)
          : changing(name === DEVICE_GRANT ? polling(own, rules) : own, rules)
      registered.add(name)
      super.registerGrantType(name, used as never, ...more)
    }
  }
  const provider = new TenantProvider(issuer, configuration)
  if (!registered.has('refresh_token') || !registered.has('authorization_code')) {
    throw unknownProvider('registers its grants by another method than registerGrantType')
  }
  markRepeated(provider)
  return provider
}

/**
 * Stores the changes of a request even if the request is refused, because its code is used up
 * nevertheless.
 */
function changing(handler: GrantHandler, { makeChanges }: TokenRules): GrantHandler {
  return async (ctx, next) => {
    try {
      await handler(ctx, next)
    } finally {
      await makeChanges()
    }
  }
}

/**
 * Stores the changes of a refresh. A refresh that fails after it has rotated its token changes
 * nothing: the application never gets the successor, and its retry would count as a theft.
 */
function rotating(handler: GrantHandler, rules: TokenRules): GrantHandler {
  return changing(async (ctx, next) => {
    try {
      await handler(ctx, next)
    } catch (error) {
      if (ctx.oidc.entities.RotatedRefreshToken) rules.dropChanges()
      throw error
    }
  }, rules)
}

/** Handles requests of a device, which repeats them until its login is confirmed. */
function polling(handler: GrantHandler, { countPoll }: TokenRules): GrantHandler {
  return async (ctx, next) => {
    try {
      await handler(ctx, next)
    } catch (error) {
      if (error instanceof errors.AuthorizationPending) await countPoll(ctx)
      throw error
    }
  }
}

/** Handles a refresh that may be repeated. The comments in this file number its four steps. */
function refreshing(handler: GrantHandler, rules: TokenRules): GrantHandler {
  return async (ctx, next) => {
    const refresh = repeatableRefresh(ctx, rules.answers)
    if (!refresh) return rotating(handler, rules)(ctx, next)
    // Steps 1 and 2: the handler finds the token and checks client, proof, grant, scope and user.
    // Step 3: the handler rotates the token, or stops at a token that is marked as repeated.
    const state: RefreshState = ctx.state
    state.findAnswer = refresh.find
    const rotate = rotating(async () => {
      await handler(ctx, next)
      if (ctx.oidc.entities.RotatedRefreshToken) await refresh.keep(ctx.body as object)
    }, rules)
    // Step 4: the response has the new tokens, or those of the first refresh.
    try {
      await rotate(ctx, next)
    } catch (error) {
      ctx.body = await repeatedAnswer(error, refresh.find)
    }
  }
}

type FindAnswer = (usedAt?: number) => Promise<object | undefined>

/** The part of Koa's state from which step 1 gets the stored response. */
interface RefreshState {
  findAnswer?: FindAnswer
}

/**
 * The functions that find and store the response of a refresh; `undefined` if this client may not
 * repeat a refresh.
 */
function repeatableRefresh(
  { oidc: { client, params } }: KoaContextWithOIDC,
  answers: RefreshAnswers,
): { find: FindAnswer; keep(answer: object): Promise<void> } | undefined {
  const { refresh_token: token, scope, resource } = params ?? {}
  if (!client || !answers.isFor(client) || typeof token !== 'string') return undefined
  const question = JSON.stringify([client.clientId, scope, resource])
  return {
    find: (usedAt) => answers.find(token, question, usedAt),
    keep: (answer) => answers.keep(token, question, answer),
  }
}

interface RefreshTokenModel {
  consumed: number | undefined
  consume(): Promise<void>
}

type FindToken = (
  this: object,
  id: string,
  options?: object,
) => Promise<RefreshTokenModel | undefined>

/** Step 1: a used token with a stored response passes the checks, and stops at step 3. */
function markRepeated(provider: Provider): void {
  const find: FindToken = replace(provider, 'RefreshToken.find', async function (id, options) {
    const token = await find.call(this, id, options)
    const { findAnswer }: RefreshState = Provider.ctx?.state ?? {}
    const answer = token?.consumed && (await findAnswer?.(token.consumed))
    if (token && answer) {
      // After its checks, oidc-provider would revoke the grant of a token with `consumed`.
      token.consumed = undefined
      token.consume = () => Promise.reject(new Repeated(answer))
    }
    return token
  })
}

/**
 * The error that stops a repeated refresh in step 3. A handler of oidc-provider cannot return
 * early.
 */
class Repeated extends Error {
  readonly answer: object

  constructor(answer: object) {
    super('The refresh was repeated.')
    this.answer = answer
  }
}

/**
 * Step 4 of a refresh that did not rotate its token: returns the response of the first refresh.
 *
 * @throws The given error, if there is no earlier response.
 */
async function repeatedAnswer(error: unknown, find: FindAnswer): Promise<object> {
  if (error instanceof Repeated) return error.answer
  // Another request with the same token was faster.
  const answer = error instanceof SpentError ? await find() : undefined
  if (!answer) throw error
  return answer
}
