import { setTimeout as wait } from 'node:timers/promises'
import type { Provider } from 'oidc-provider'
import type { IssuerContext } from '../context.ts'
import { SpentError } from '../engine/code.ts'
import { paths } from '../requests/paths.ts'
import { collectChanges, makeChanges } from './request-changes.ts'

/** Matches the paths whose requests change several entries. */
const COLLECTED = new RegExp(
  `^(${paths.authorization}|${paths.token}|${paths.end_session}|${paths.code_verification}(/|$))`,
)

/**
 * The shortest and the longest wait before a request is repeated, in milliseconds. The response of
 * the other request, with its cookie, has to arrive first. Many requests of one browser at once
 * would meet again and again, and browsers follow only about twenty redirects.
 */
const WAIT_MS = { least: 50, most: 150 }

type Context = Parameters<Parameters<Provider['use']>[0]>[0]

/**
 * Adds the middleware that stores the changes of a request in one step, before the outer middleware
 * continues. It must be the innermost one.
 *
 * If another request has changed or ended the session meanwhile, nothing is stored, and the browser
 * repeats the request. The repetition is judged by the session as it is then: it finds what the
 * other request has added, or begins a login if the session has ended.
 */
export function storeTogether(
  provider: Provider,
  { protocol, logger }: Pick<IssuerContext, 'protocol' | 'logger'>,
): void {
  provider.use(async (ctx, next) => {
    if (!COLLECTED.test(ctx.path)) return next()
    try {
      await collectChanges(async () => {
        await next()
        await makeChanges(protocol)
      })
    } catch (error) {
      // An application that redeems a code is told that it was spent.
      if (!(error instanceof SpentError) || ctx.path === paths.token) throw error
      logger.debug({ path: ctx.path }, 'The session has changed; the browser repeats the request.')
      await wait(WAIT_MS.least + Math.random() * (WAIT_MS.most - WAIT_MS.least))
      repeat(ctx)
    }
  })
}

/**
 * Redirects the browser to the URL that it has requested. The cookies of the answer that was not
 * stored are not set: the other request has set those that are valid.
 */
function repeat(ctx: Context): void {
  ctx.remove('set-cookie')
  ctx.status = ctx.method === 'POST' ? 307 : 303
  ctx.redirect(ctx.originalUrl)
}
