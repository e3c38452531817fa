import { randomBytes } from 'node:crypto'
import { type Ceremony, keyAlgorithms, userHandle } from '../../../domain/factors/webauthn.ts'
import { allowsKeys, rpIdOf } from '../../../domain/ways/login-methods.ts'
import { entry, type Found } from '../../../domain/writes/entries.ts'
import { lifetimes } from '../../../domain/writes/lifetimes.ts'
import type { HardwareCredential, KeyPurpose, User } from '../../../store/records.ts'
import type { FlowRequest } from '../flow/flow-request.ts'

/**
 * The facts to which a challenge is bound. A response for one purpose is not accepted for another.
 */
export interface KeyQuestion {
  purpose: 'login' | 'factor' | 'enrol'
  /** The id of the login or session that asks for a key. */
  place: string
  /** The owner of the key; `undefined` if the user is not known yet. */
  user: User | undefined
}

/** The time for which a browser waits for its user, in milliseconds. */
const TIMEOUT_MS = 300_000

interface Challenge {
  challenge: string
  userId: string | undefined
}

const challenges = entry<Challenge>('KeyChallenge', lifetimes.interactionSeconds)

/**
 * Returns the challenge, which stays the same until it is answered. So loading a page again does
 * not invalidate the page that was loaded first.
 */
export async function challengeOf(flow: FlowRequest, question: KeyQuestion): Promise<string> {
  const asked = await findChallenge(flow, question)
  if (asked) return asked.value.challenge
  const challenge = randomBytes(32).toString('base64url')
  await challenges.put(flow, idOf(question), { challenge, userId: question.user?.id })
  return challenge
}

/**
 * Uses up the challenge before anything is verified, so that only one of several responses is
 * verified.
 *
 * @returns `undefined` if there is no challenge, it was used up, or the tenant does not allow keys.
 */
export async function takeCeremony(
  flow: FlowRequest,
  question: KeyQuestion,
  needsVerification: boolean,
): Promise<Ceremony | undefined> {
  const { tenant, facts } = flow
  const rpId = rpIdOf(tenant.settings)
  if (!allowsKeys(tenant.settings) || rpId === undefined) return undefined
  const asked = await findChallenge(flow, question)
  if (!asked || !(await challenges.spend(flow, idOf(question), asked))) return undefined
  return { challenge: asked.value.challenge, origin: facts.issuer, rpId, needsVerification }
}

/** The request options for one of these keys, as JSON. Without keys, for any passkey. */
export async function requestOptions(
  flow: FlowRequest,
  question: KeyQuestion,
  keys: readonly HardwareCredential[],
): Promise<string> {
  const isNamed = question.purpose !== 'login'
  return JSON.stringify({
    challenge: await challengeOf(flow, question),
    rpId: rpIdOf(flow.tenant.settings),
    timeout: TIMEOUT_MS,
    // As a second step, a key without a PIN is enough, and a key with a PIN need not ask for it.
    userVerification: isNamed ? 'discouraged' : 'required',
    allowCredentials: keys.map(descriptorOf),
  })
}

/**
 * The creation options for a new key, as JSON.
 *
 * @see Web Authentication Level 3 §5.4
 */
export async function creationOptions(
  flow: FlowRequest,
  question: KeyQuestion & { user: User },
  keys: readonly HardwareCredential[],
  purpose: KeyPurpose,
): Promise<string> {
  const { user } = question
  const { companyName, domain } = flow.tenant.settings
  const isPasskey = purpose === 'passkey'
  return JSON.stringify({
    challenge: await challengeOf(flow, question),
    rp: { id: rpIdOf(flow.tenant.settings), name: companyName || domain },
    user: {
      id: userHandle(user),
      name: user.email,
      displayName: user.profile.name || user.email,
    },
    pubKeyCredParams: keyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: TIMEOUT_MS,
    attestation: 'none',
    excludeCredentials: keys.map(descriptorOf),
    authenticatorSelection: {
      residentKey: isPasskey ? 'required' : 'discouraged',
      requireResidentKey: isPasskey,
      userVerification: isPasskey ? 'required' : 'discouraged',
    },
    ...(!isPasskey && { hints: ['security-key'] }),
    extensions: { credProps: true },
  })
}

function descriptorOf({ keyId, transports }: HardwareCredential): object {
  return { type: 'public-key', id: keyId, ...(transports.length > 0 && { transports }) }
}

async function findChallenge(
  flow: FlowRequest,
  question: KeyQuestion,
): Promise<Found<Challenge> | undefined> {
  const found = await challenges.read(flow, idOf(question))
  if (!found || found.isSpent) return undefined
  return found.value.userId === question.user?.id ? found : undefined
}

function idOf({ purpose, place }: KeyQuestion): string {
  return `${purpose}:${place}`
}
