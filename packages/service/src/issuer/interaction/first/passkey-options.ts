import type { InteractionRequest } from '../flow/flow-request.ts'
import { type KeyQuestion, requestOptions } from '../second/key-ceremony.ts'

/** The request options for any passkey, as JSON. */
export async function passkeyOptions(flow: InteractionRequest): Promise<string> {
  return requestOptions(flow, questionOf(flow), [])
}

/** The facts for the challenge to a passkey in the first step of a login. */
export function questionOf({ interaction }: InteractionRequest): KeyQuestion {
  return { purpose: 'login', place: interaction.uid, user: undefined }
}
