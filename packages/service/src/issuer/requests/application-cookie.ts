import type { IncomingMessage } from 'node:http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { readHostCookie, setHostCookie } from './cookies.ts'

const NAME = 'latchkey-application'

const KEPT_SECONDS = 86_400

/** Remembers which application the browser came from last; it is no secret. */
export function rememberApplication(ctx: KoaContextWithOIDC, applicationId: string): void {
  setHostCookie(ctx, NAME, applicationId, KEPT_SECONDS)
}

/** The application from which the browser came last, so that no page is a dead end. */
export function lastApplication(request: IncomingMessage): string | undefined {
  return readHostCookie(request, NAME)
}
