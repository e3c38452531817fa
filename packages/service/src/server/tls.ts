import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'

/** A certificate with its private key, both in PEM. */
export interface TlsOptions {
  /** The certificate of the server, followed by the intermediate certificates. */
  cert: string | Buffer
  /** The private key, unencrypted. */
  key: string | Buffer
}

/**
 * Checks that a server can use a certificate and its private key.
 *
 * @throws TypeError if one of them is missing or not in PEM, or if they do not belong together. The
 *   message contains no part of the key.
 */
export function checkTls({ cert, key }: Partial<TlsOptions>): TlsOptions {
  if (!cert || !key) {
    throw new TypeError(
      `TLS needs a certificate and its private key; the ${cert ? 'key' : 'certificate'} is missing.`,
    )
  }
  if (!certificateOf(cert).checkPrivateKey(privateKeyOf(key))) {
    throw new TypeError('The private key for TLS does not belong to the certificate.')
  }
  return { cert, key }
}

function certificateOf(pem: string | Buffer): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (cause) {
    throw new TypeError('The certificate for TLS is not a certificate in PEM.', { cause })
  }
}

function privateKeyOf(pem: string | Buffer): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    throw new TypeError('The key for TLS is not an unencrypted private key in PEM.', { cause })
  }
}
