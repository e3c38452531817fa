import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  type webcrypto,
} from 'node:crypto'

/** Options of a virtual key. */
export interface VirtualKeyOptions {
  /** Whether the key verifies its user, with a PIN or a sensor. Default `true`. */
  readonly verifiesUser?: boolean
  /**
   * Whether the key can be copied to other devices, like the passkeys of most phones. Default
   * `true`.
   */
  readonly isSyncable?: boolean
}

/** The options of a page that adds a key: `PublicKeyCredentialCreationOptionsJSON` of WebAuthn. */
export interface KeyCreation {
  readonly challenge: string
  readonly rp: { readonly id?: string | undefined }
  readonly user: { readonly id: string }
  readonly authenticatorSelection?: { readonly residentKey?: string } | undefined
}

/**
 * The options of a page that asks for a key: `PublicKeyCredentialRequestOptionsJSON` of WebAuthn.
 */
export interface KeyRequest {
  readonly challenge: string
  readonly rpId?: string | undefined
  readonly userVerification?: string | undefined
  readonly allowCredentials?: readonly { readonly id: string }[] | undefined
}

/** A passkey or security key in software. It confirms every request. */
export interface VirtualKey {
  /** Whether the key verifies its user, so that it replaces address and password. */
  readonly verifiesUser: boolean
  /** Creates a key for a page. Returns the response of WebAuthn as JSON. */
  create(options: KeyCreation, origin: string): string
  /** Proves to a page that it has the key. Returns the response of WebAuthn as JSON. */
  get(options: KeyRequest, origin: string): string
}

/** A key pair, with the relying party (`rpId`) for which it was made. */
interface Made {
  id: string
  rpId: string
  userHandle: string | undefined
  privateKey: KeyObject
  counter: number
}

/** Flags of authenticator data. @see Web Authentication Level 3 §6.1 */
const PRESENT = 0x01
const VERIFIED = 0x04
const SYNCABLE = 0x08
const BACKED_UP = 0x10
const ATTESTED = 0x40

/** The data that the key signs, about the browser and the key. */
export interface Said {
  client: Record<string, unknown>
  data: Buffer
}

/**
 * Makes a virtual key. It signs with ES256. A key that cannot be copied counts its uses.
 *
 * @param change - Changes the data before it is signed, to simulate a malicious key or browser.
 */
export function createVirtualKey(
  options: VirtualKeyOptions = {},
  change: (said: Said) => Said = (said) => said,
): VirtualKey {
  const { verifiesUser = true, isSyncable = true } = options
  const flags = PRESENT | (verifiesUser ? VERIFIED : 0) | (isSyncable ? SYNCABLE | BACKED_UP : 0)
  const made: Made[] = []

  function dataOf({ rpId, counter }: Made, more: number): Buffer {
    const head = Buffer.alloc(5)
    head.writeUInt8(flags | more, 0)
    head.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(Buffer.from(rpId)), head])
  }

  return {
    verifiesUser,
    create({ challenge, rp, user, authenticatorSelection }, origin) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const isDiscoverable = authenticatorSelection?.residentKey === 'required'
      const key: Made = {
        id: base64url(randomBytes(32)),
        rpId: rp.id ?? new URL(origin).hostname,
        userHandle: isDiscoverable ? user.id : undefined,
        privateKey,
        counter: isSyncable ? 0 : 1,
      }
      made.push(key)
      const id = Buffer.from(key.id, 'base64url')
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const data = Buffer.concat([
        dataOf(key, ATTESTED),
        Buffer.alloc(16),
        length,
        id,
        coseKey(publicKey.export({ format: 'jwk' })),
      ])
      const said = change({ client: clientData('webauthn.create', challenge, origin), data })
      return JSON.stringify({
        ...named(key.id),
        response: {
          clientDataJSON: base64url(json(said.client)),
          attestationObject: base64url(attestationObject(said.data)),
          transports: ['internal'],
        },
        clientExtensionResults: { credProps: { rk: isDiscoverable } },
      })
    },

    get({ challenge, rpId = '', allowCredentials = [] }, origin) {
      const key = made.find((one) =>
        allowCredentials.length === 0
          ? one.rpId === rpId && one.userHandle !== undefined
          : allowCredentials.some(({ id }) => id === one.id),
      )
      if (!key) throw new Error(`The virtual key has none for ${rpId} that the page would accept.`)
      if (!isSyncable) key.counter++
      const client = clientData('webauthn.get', challenge, origin)
      const said = change({ client, data: dataOf(key, 0) })
      const signed = Buffer.concat([said.data, sha256(json(said.client))])
      const signature = sign('sha256', signed, key.privateKey)
      return JSON.stringify({
        ...named(key.id),
        response: {
          clientDataJSON: base64url(json(said.client)),
          authenticatorData: base64url(said.data),
          signature: base64url(signature),
          ...(key.userHandle !== undefined && { userHandle: key.userHandle }),
        },
        clientExtensionResults: {},
      })
    },
  }
}

function named(id: string): object {
  return { id, rawId: id, type: 'public-key' }
}

function clientData(type: string, challenge: string, origin: string): Record<string, unknown> {
  return { type, challenge, origin, crossOrigin: false }
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** A public key for ES256, in CBOR. @see RFC 9053 §7.1.1 */
function coseKey({ x = '', y = '' }: webcrypto.JsonWebKey): Buffer {
  const coordinate = (label: number, value: string) =>
    Buffer.concat([Buffer.from([label, 0x58, 0x20]), Buffer.from(value, 'base64url')])
  // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01])
  return Buffer.concat([head, coordinate(0x21, x), coordinate(0x22, y)])
}

/** `{fmt: "none", attStmt: {}, authData}` in CBOR. @see Web Authentication Level 3 §6.5.4, §8.7 */
function attestationObject(authData: Buffer): Buffer {
  const length = Buffer.from([0x59, authData.length >> 8, authData.length & 0xff])
  const text = (value: string) => Buffer.from([0x60 | value.length, ...Buffer.from(value)])
  return Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.from([0xa0]),
    text('authData'),
    length,
    authData,
  ])
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

function base64url(data: Buffer): string {
  return data.toString('base64url')
}
