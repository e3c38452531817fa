/** The client data: the browser's statement about the page that made the request. */
interface Client {
  type: unknown
  challenge: unknown
  origin: unknown
  crossOrigin: unknown
  topOrigin: unknown
}

/** The assertion of a registered key, with its parts in base64url. */
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

/** The attestation of a new key, with its parts in base64url. */
export interface AttestationText {
  id: string
  client: Client
  response: { clientDataJSON: string; attestationObject: string }
  /** The transports by which the browser reaches the key. */
  transports: string[]
  /**
   * Whether the key is discoverable: it can log its user in without a user name. `undefined` if the
   * browser does not say.
   */
  rk: boolean | undefined
}

/** The maximum length of a response, in characters. No browser sends a longer one. */
const MAX_TEXT = 16_384

/** The maximum lengths of the parts of a response, in characters of base64url. */
const MAX_ID = 1_366
const MAX_CLIENT_DATA = 4_096
const MAX_AUTHENTICATOR_DATA = 4_096
const MAX_SIGNATURE = 1_024
const MAX_USER_HANDLE = 88

/** The known transports. @see Web Authentication Level 3 §5.8.4 */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/**
 * Parses the response that the page's script has sent, without verifying it. Returns `undefined` if
 * the response is malformed.
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
  // Another encoding of the same id could let the response pass as that of another key.
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

/**
 * The known transports in the browser's list. Others are left out, because the list is later sent
 * back to browsers.
 */
function transportsOf(listed: unknown): string[] {
  return Array.isArray(listed) ? TRANSPORTS.filter((known) => listed.includes(known)) : []
}

/**
 * The value, if it is a non-empty text in canonical base64url without padding; otherwise
 * `undefined`.
 */
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
