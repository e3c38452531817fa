import type { Factors } from '../../domain/factors/factors.ts'
import { userHandle } from '../../domain/factors/webauthn.ts'
import { allowsKeys, rpIdOf } from '../../domain/ways/login-methods.ts'
import { keyScript, type Pages } from '../../pages/index.ts'
import type { Micros, User } from '../../store/records.ts'
import { type FlowRequest, languageOf } from '../interaction/flow/flow-request.ts'

/** The passkeys and security keys of a user, for the page with the user's login methods. */
export function shownKeys(
  flow: FlowRequest,
  user: User,
  { allKeys }: Factors,
): Pick<Pages['security'], 'keys' | 'script' | 'signal'> {
  const { settings } = flow.tenant
  const format = new Intl.DateTimeFormat(languageOf(flow), { dateStyle: 'medium', timeZone: 'UTC' })
  const dateOf = (at: Micros) => format.format(at / 1000)
  const rpId = rpIdOf(settings)
  // Browsers stop offering passkeys that are not in this list.
  const signal = {
    name: 'signalAllAcceptedCredentials',
    rpId,
    userId: userHandle(user),
    allAcceptedCredentialIds: allKeys.filter((key) => key.rpId === rpId).map(({ keyId }) => keyId),
  }
  return {
    keys: allKeys.map(({ id, name, purpose, createdAt, state }) => ({
      id,
      name,
      isPasskey: purpose === 'passkey',
      added: dateOf(createdAt),
      used: state.usedAt === undefined ? undefined : dateOf(state.usedAt),
    })),
    ...(allowsKeys(settings) && { script: keyScript.path, signal: JSON.stringify(signal) }),
  }
}
