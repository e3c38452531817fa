import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** Makes a certificate that signs itself, for one host name, good for an hour (RFC 5280 §4.1). */
export function selfSignedCertificate(hostname: string): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = der(0x30, oid('2a8648ce3d040302'))
  const commonName = der(0x30, oid('550403'), der(0x0c, Buffer.from(hostname)))
  const name = der(0x30, der(0x31, commonName))
  const subjectAltName = der(
    0x30,
    oid('551d11'),
    der(0x04, der(0x30, der(0x82, Buffer.from(hostname)))),
  )
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    name,
    der(0x30, time(-60), time(3_600)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, subjectAltName)),
  )
  const signature = sign('sha256', content, privateKey)
  const signed = der(0x30, content, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${signed.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  }
}

/** A value with its tag and length in front, as DER has it. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function time(fromNowSeconds: number): Buffer {
  const iso = new Date(Date.now() + fromNowSeconds * 1000).toISOString()
  return der(0x18, Buffer.from(`${iso.slice(0, 19).replaceAll(/[-:T]/g, '')}Z`))
}
