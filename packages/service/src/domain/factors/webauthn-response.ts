/** The browser's statement about the page that asked. */
interface Client {
  type: unknown
  challenge: unknown
  origin: unknown
  crossOrigin: unknown
  topOrigin: unknown
}

/** A response of a key that is known, its parts in base64url. */
export interface AssertionText {
  id: string
  client: Client
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle?: string
  }
}

/** A response of a new key, its parts in base64url. */
export interface AttestationText {
  id: string
  client: Client
  response: { clientDataJSON: string; attestationObject: string }
  /** How the browser reaches the key. */
  transports: string[]
  /** Whether the key says that it can log its user in without being named. */
  rk: boolean | undefined
}

/** No browser sends more. */
const MAX_TEXT = 16_384

/** The longest parts, in characters of base64url. */
const MAX_ID = 1_366
const MAX_CLIENT_DATA = 4_096
const MAX_AUTHENTICATOR_DATA = 4_096
const MAX_SIGNATURE = 1_024
const MAX_USER_HANDLE = 88

/** @see Web Authentication Level 3 §5.8.4 */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/**
 * Parses the response that the page's script has sent, without verifying it; `undefined` if it is
 * malformed.
 */
export function readResponse(text: string, kind: 'assertion'): AssertionText | undefined
export function readResponse(text: string, kind: 'attestation'): AttestationText | undefined
export function readResponse(
  text: string,
  kind: 'assertion' | 'attestation',
): AssertionText | AttestationText | undefined {
  const credential = text.length <= MAX_TEXT ? parseObject(text) : undefined
  const response = credential && asObject(credential.response)
  if (!credential || !response) return undefined
  const id = base64url(credential.id, MAX_ID)
  const clientDataJSON = base64url(response.clientDataJSON, MAX_CLIENT_DATA)
  const client = clientDataJSON && parseObject(fromBase64url(clientDataJSON))
  // Two spellings of one id would let a response pass for another key's.
  if (!id || credential.rawId !== id || credential.type !== 'public-key' || !client)
    return undefined
  const { type, challenge, origin, crossOrigin, topOrigin } = client
  const base = { id, client: { type, challenge, origin, crossOrigin, topOrigin } }

  if (kind === 'attestation') {
    const attestationObject = base64url(response.attestationObject, MAX_TEXT)
    if (!attestationObject) return undefined
    const extensions = asObject(credential.clientExtensionResults)
    const rk = asObject(extensions?.credProps)?.rk
    return {
      ...base,
      response: { clientDataJSON, attestationObject },
      transports: transportsOf(response.transports),
      rk: typeof rk === 'boolean' ? rk : undefined,
    }
  }
  const authenticatorData = base64url(response.authenticatorData, MAX_AUTHENTICATOR_DATA)
  const signature = base64url(response.signature, MAX_SIGNATURE)
  const hasHandle = response.userHandle !== undefined && response.userHandle !== null
  const userHandle = hasHandle ? base64url(response.userHandle, MAX_USER_HANDLE) : ''
  if (!authenticatorData || !signature || userHandle === undefined) return undefined
  const parts = { clientDataJSON, authenticatorData, signature }
  return { ...base, response: userHandle === '' ? parts : { ...parts, userHandle } }
}

/** The known transports of a browser's list, which are sent back to browsers. */
function transportsOf(listed: unknown): string[] {
  return Array.isArray(listed) ? TRANSPORTS.filter((known) => listed.includes(known)) : []
}

/** A text in base64url without padding, in its only spelling, that is not empty. */
function base64url(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > max) return undefined
  return Buffer.from(value, 'base64url').toString('base64url') === value ? value : undefined
}

function fromBase64url(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8')
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : undefined
}
