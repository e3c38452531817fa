import { type FlowRequest, show } from '../flow/flow-request.ts'
import { showTooMany } from '../flow/too-many.ts'
import { endMailCode, findMailCode, judgeMailCode } from '../mail/mail-code.ts'

/** The outcome of a code that a user has entered. `over`: too many were wrong, and it has ended. */
export type OwnCodeOutcome = 'right' | 'refused' | 'over'

/**
 * Checks a mailed code that a logged-in user has entered. Five wrong attempts end the code, and the
 * user can have another one sent. All attempts of the user also count together, over all codes: at
 * most a hundred in a row are wrong, of 100 million codes.
 *
 * @param name - The name under which the code was mailed.
 * @returns `undefined` if the user has to wait. In this case, the request is answered.
 */
export async function tryOwnCode(
  flow: FlowRequest,
  name: string,
  user: Parameters<typeof judgeMailCode>[2],
  entered: string,
): Promise<OwnCodeOutcome | undefined> {
  const { context, facts, url } = flow
  const sent = await findMailCode(flow, name)
  if (sent?.code === undefined) return 'refused'
  const admission = await context.throttle.admitFactor(facts, user.id, sent.id)
  switch (admission.kind) {
    case 'refused':
      showTooMany(flow, admission.retryAfterSeconds)
      return undefined
    case 'paused': {
      const link = { href: url.pathname + url.search, text: 'tooManyBack' } as const
      show(flow, 429, 'message', { title: 'tooManyTitle', text: 'factorPaused', link })
      return undefined
    }
    case 'login_over':
      await endMailCode(flow, name)
      return 'over'
    case 'admitted':
      return (await judgeMailCode(flow, name, user, entered)) === 'right' ? 'right' : 'refused'
  }
}
