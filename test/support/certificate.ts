import { generate } from 'selfsigned'

/** A certificate and its private key, both in PEM. */
export interface CertifiedKey {
  readonly cert: string
  readonly key: string
}

/** Makes a certificate that signs itself, for DNS names, good for a day. */
export function selfSigned(...names: string[]): Promise<CertifiedKey> {
  return certify(names[0] as string, [
    { name: 'subjectAltName', altNames: names.map((value) => ({ type: 2, value })) },
  ])
}

/** Makes an authority that nobody trusts, and a certificate of it for the loopback address. */
export async function loopbackAuthority(): Promise<{ ca: CertifiedKey; server: CertifiedKey }> {
  const ca = await certify('authority', [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ])
  const address = [{ type: 7 as const, ip: '127.0.0.1' }]
  const server = await certify('redis', [{ name: 'subjectAltName', altNames: address }], ca)
  return { ca, server }
}

async function certify(
  commonName: string,
  extensions: NonNullable<Parameters<typeof generate>[1]>['extensions'],
  ca?: CertifiedKey,
): Promise<CertifiedKey> {
  const now = Date.now()
  const made = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 60_000),
    notAfterDate: new Date(now + 86_400_000),
    ...(extensions && { extensions }),
    ...(ca && { ca }),
  })
  return { cert: made.cert, key: made.private }
}
