import { LatchkeyError } from '@latchkey/core'
import { setCookie } from './page-response.ts'

/**
 * Handles the error with which a route handler ends, such as that of `redirect()`. Next.js would
 * make a response of its own, without the headers of the kit. So the responses of `redirect()`,
 * `notFound()` and their like are made here. Next.js adds the application's cookies to them. For an
 * error of an unknown form, the session's cookies are set with `cookies()`. Every other error is
 * rethrown.
 *
 * @param cookies - The `Set-Cookie` lines of the session.
 */
export async function afterInterrupt(
  error: unknown,
  cookies: readonly string[],
): Promise<Response> {
  if (error instanceof LatchkeyError) throw error
  const answer = (await redirectOf(error)) ?? (await refusalOf(error))
  if (answer) return answer
  if (cookies.length > 0) await setCookies(cookies).catch(outsideOfNext)
  throw error
}

/** The form of the digest that Next.js itself reads (`isRedirectError`): the address, the status. */
const REDIRECT = /^NEXT_REDIRECT;(?:replace|push);(.+);(303|307|308);$/s

/** The response that `redirect()` or `permanentRedirect()` asks for. */
async function redirectOf(error: unknown): Promise<Response | undefined> {
  const [, location, status] = REDIRECT.exec(String(digestOf(error))) ?? []
  if (location === undefined) return undefined
  const headers = { location }
  return new Response(null, { status: (await isForm()) ? 303 : Number(status), headers })
}

/**
 * Whether Next.js takes the request for a form that a browser has sent. It answers such a request
 * with 303, so that the browser does not send the form again. Only then is a redirect without a
 * type a `push`.
 */
async function isForm(): Promise<boolean> {
  const { redirect } = await navigation().catch(() => NOTHING)
  try {
    redirect?.('/')
  } catch (own) {
    return String(digestOf(own)).startsWith('NEXT_REDIRECT;push;')
  }
  return false
}

/**
 * The response that `notFound()` and its like ask for. Next.js exports no function that tells their
 * errors apart, so the error is compared with those that these functions throw.
 */
async function refusalOf(error: unknown): Promise<Response | undefined> {
  const digest = digestOf(error)
  if (digest === undefined) return undefined
  const { forbidden, notFound, unauthorized } = await navigation().catch(() => NOTHING)
  const interrupts = { 404: notFound, 403: forbidden, 401: unauthorized }
  for (const [status, interrupt] of Object.entries(interrupts)) {
    try {
      interrupt?.()
    } catch (own) {
      if (digestOf(own) === digest) return new Response(null, { status: Number(status) })
    }
  }
  return undefined
}

type Navigation = typeof import('next/navigation.js')

const NOTHING: Partial<Navigation> = {}

/**
 * The navigation of Next.js. For a route handler, it bundles another module under this name than
 * under `next/navigation.js`, which cannot be loaded there. Without its bundler, as in a test that
 * calls a handler, the name is not found.
 */
function navigation(): Promise<Partial<Navigation>> {
  // biome-ignore lint/suspicious/noTsIgnore: An error is expected only without a bundler.
  // @ts-ignore The name has types only for a bundler.
  return import('next/navigation')
}

function digestOf(error: unknown): unknown {
  return Object(error).digest
}

async function setCookies(lines: readonly string[]): Promise<void> {
  const { cookies } = await import('next/headers.js')
  const jar = await cookies()
  for (const line of lines) setCookie(jar, line)
}

/**
 * Ignores the error of Next.js for a call outside of a request, because a test may call a handler
 * directly. Throws any other error.
 */
export function outsideOfNext(error: unknown): void {
  if (!(error instanceof Error && error.message.includes('outside a request scope'))) throw error
}
