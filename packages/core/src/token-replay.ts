import { createHash } from 'node:crypto'
import { decodeJwt } from './jwt.ts'
import type { JwtHeader } from './key-set.ts'

const MAX_KEPT = 100

/** A token response whose ID Token is signed with a key that was not known when it arrived. */
export interface ReceivedTokens {
  readonly header: JwtHeader
  readonly response: Response
}

/** Keeps token responses that name an unknown key, so that a code is not lost to a key rotation. */
export interface TokenReplay {
  /** Passes a response through, and keeps it when `isKnown` denies the key of its ID Token. */
  remember(
    body: unknown,
    response: Response,
    isKnown: (header: JwtHeader) => boolean,
  ): Promise<Response>
  /** The response to the request with this code or refresh token, once. */
  take(grant: string): ReceivedTokens | undefined
}

/** Makes an empty memory. Grants are kept as hashes. */
export function createTokenReplay(): TokenReplay {
  const kept = new Map<string, ReceivedTokens>()
  return {
    async remember(body, response, isKnown) {
      const text = await response.text()
      const copy = (): Response =>
        new Response(text, { status: response.status, headers: response.headers })
      const header = idTokenHeader(text)
      const grant = grantOf(body)
      if (header && grant && !isKnown(header)) {
        kept.set(hash(grant), { header, response: copy() })
        if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value as string)
      }
      return copy()
    },
    take(grant) {
      const key = hash(grant)
      const received = kept.get(key)
      kept.delete(key)
      return received
    },
  }
}

function grantOf(body: unknown): string | undefined {
  const parameters = new URLSearchParams(String(body))
  return parameters.get('code') ?? parameters.get('refresh_token') ?? undefined
}

function idTokenHeader(text: string): JwtHeader | undefined {
  try {
    const { id_token } = JSON.parse(text) as { id_token?: unknown }
    return typeof id_token === 'string' ? decodeJwt(id_token)?.header : undefined
  } catch {
    return undefined
  }
}

function hash(grant: string): string {
  return createHash('sha256').update(grant).digest('base64url')
}
