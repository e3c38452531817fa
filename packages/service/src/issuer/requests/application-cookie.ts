import type { IncomingMessage } from 'node:http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { readHostCookie, setHostCookie } from './cookies.ts'

const NAME = 'latchkey-application'

const KEPT_SECONDS = 86_400

/** Remembers the application that the browser came from last. This is no secret. */
export function rememberApplication(ctx: KoaContextWithOIDC, applicationId: string): void {
  setHostCookie(ctx, NAME, applicationId, KEPT_SECONDS)
}

/** The application that the browser came from last, so that every page has a way back. */
export function lastApplication(request: IncomingMessage): string | undefined {
  return readHostCookie(request, NAME)
}
