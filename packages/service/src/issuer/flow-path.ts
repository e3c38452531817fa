import { createHash, timingSafeEqual } from 'node:crypto'

/** What the flow's pages need of an interaction of oidc-provider. */
interface Interaction {
  uid: string
  params: { [name: string]: unknown }
}

/** How the id of an interaction is recognised, and nothing more. */
const HANDLE_LENGTH = 16

/**
 * The path of an interaction's pages. Its id stays in a cookie that the browser sends to this path
 * alone, so that two tabs do not disturb each other; the path has a handle made from it.
 *
 * The application travels along, so that a visitor who comes too late can still be sent back to it.
 */
export function flowPath(interaction: Interaction, page: FlowPage = ''): string {
  const query = new URLSearchParams({ application: String(interaction.params.client_id) })
  return `/login/${flowHandle(interaction.uid)}${page}?${query}`
}

/** The pages of a flow, by what follows its path. */
export type FlowPage = '' | '/signup' | '/reset' | '/verify'

/** The handle of an interaction: a piece of a hash of its id. */
export function flowHandle(uid: string): string {
  return digest('handle', uid).toString('base64url').slice(0, HANDLE_LENGTH)
}

/** What a form of the interaction must send back. Only who holds the interaction's cookie knows it. */
export function csrfToken(uid: string): string {
  return digest('csrf', uid).toString('base64url')
}

/** Whether `sent` is the interaction's {@link csrfToken}. */
export function isCsrfToken(uid: string, sent: string | undefined): boolean {
  const expected = digest('csrf', uid)
  const given = Buffer.from(sent ?? '', 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function digest(purpose: string, uid: string): Buffer {
  return createHash('sha256').update(`latchkey ${purpose} ${uid}`).digest()
}
