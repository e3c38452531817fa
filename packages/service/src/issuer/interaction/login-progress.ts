import type { Method } from '../../domain/assurance.ts'
import type { User } from '../../store/records.ts'
import { finishLogin } from './finish.ts'
import type { InteractionRequest } from './flow-request.ts'

/**
 * Goes on with a login after the user has proven something. Every login ends here, however it began:
 * no session exists at the issuer before everything is proven that is asked for.
 *
 * @param loggedInAt - An instant before the proof was judged, in seconds since the epoch.
 */
export async function completeStep(
  flow: InteractionRequest,
  user: User,
  method: Method,
  loggedInAt: number,
): Promise<void> {
  await finishLogin(flow, user, { proofs: [method], loggedInAt })
}
