import type { Server } from 'node:http'
import { inspect } from 'node:util'

/** What kind of secret a text is; a cookie may be in `Set-Cookie` and nowhere else. */
export type SecretKind = 'cookie' | 'token' | 'client secret' | 'session secret'

interface Overheard {
  readonly where: string
  readonly text: string
}

/** A secret in a place where it must not be. */
export interface Leak {
  readonly where: string
  readonly kind: SecretKind
  /** Where in the text, so that it can be found without being shown. */
  readonly around: string
}

const WINDOW = 16
const secrets = new Map<string, SecretKind>()
const overheard: Overheard[] = []

/** Remembers secrets that the tests of this file use. */
export function remember(kind: SecretKind, ...values: (string | null | undefined)[]): void {
  for (const value of values) if (value && value.length >= WINDOW) secrets.set(value, kind)
}

/** Keeps what was written, sent or thrown, to be searched when the file is done. */
export function overhear(where: string, what: unknown): void {
  overheard.push({ where, text: textOf(what) })
}

/** Everything that a thorough logger would write of a value: fields, stack and every cause. */
function textOf(what: unknown): string {
  if (typeof what === 'string') return what
  if (what instanceof Uint8Array) return Buffer.from(what).toString('utf8')
  return inspect(what, { depth: 12, maxStringLength: null, maxArrayLength: null, getters: true })
}

/** What was overheard in one place. */
export function overheardAt(where: string): string[] {
  return overheard.filter((one) => one.where === where).map(({ text }) => text)
}

/** How much there is to search. */
export function watched(): { secrets: number; characters: number } {
  return {
    secrets: secrets.size,
    characters: overheard.reduce((n, { text }) => n + text.length, 0),
  }
}

/**
 * Searches everything that was overheard for every secret. Of each secret 31 characters of the middle
 * are looked for: wherever they are, one of the text's windows of 16 lies within them.
 */
export function findLeaks(): Leak[] {
  const windows = new Map<string, SecretKind>()
  const short = new Map<string, SecretKind>()
  for (const [secret, kind] of secrets) {
    const length = 2 * WINDOW - 1
    if (secret.length < length) short.set(secret, kind)
    const start = Math.floor((secret.length - length) / 2)
    for (let at = start; at >= 0 && at < start + WINDOW; at++) {
      windows.set(secret.slice(at, at + WINDOW), kind)
    }
  }
  const leaks: Leak[] = []
  for (const { where, text } of overheard) {
    const found = (at: number, kind: SecretKind): void => {
      if (kind === 'cookie' && where === 'set-cookie') return
      const around = `${text.slice(Math.max(0, at - 60), at + 4)}…`
      leaks.push({ where, kind, around })
    }
    for (let at = 0; at + WINDOW <= text.length; at += WINDOW) {
      const kind = windows.get(text.slice(at, at + WINDOW))
      if (kind) found(at, kind)
    }
    for (const [secret, kind] of short) {
      const at = text.indexOf(secret)
      if (at >= 0) found(at, kind)
    }
  }
  return leaks
}

/** Forgets everything, for the next file or the next part of a test. */
export function forgetAll(): void {
  secrets.clear()
  overheard.length = 0
}

/**
 * Overhears everything that a server answers, and remembers the cookies it sets and the codes it is
 * sent. What a handler of the tests shows on purpose is left out by `res.locals.showsSecrets`.
 */
export function watchServer(server: Server): void {
  server.prependListener('request', (req, res) => {
    remember('token', ...new URLSearchParams(req.url?.split('?')[1]).getAll('code'))
    const chunks: Buffer[] = []
    for (const name of ['write', 'end'] as const) {
      const send = res[name].bind(res) as (...args: unknown[]) => never
      res[name] = ((...args: unknown[]) => {
        const [chunk] = args
        if (typeof chunk === 'string' || chunk instanceof Uint8Array)
          chunks.push(Buffer.from(chunk))
        return send(...args)
      }) as never
    }
    res.once('close', () => {
      const { locals } = res as { locals?: { showsSecrets?: boolean } }
      const page = Buffer.concat(chunks).toString('utf8')
      if (!locals?.showsSecrets) overhear('page', withoutHint(page))
      // What stands in for a provider's authorization endpoint hands out codes.
      const handsOutCode = req.url?.includes('/__latchkey/log-in-as?')
      for (const [name, value] of Object.entries(res.getHeaders())) {
        if (!(handsOutCode && name === 'location')) overhearHeader(name, value)
      }
    })
  })
}

function overhearHeader(name: string, value: unknown): void {
  for (const line of Array.isArray(value) ? (value as string[]) : [String(value)]) {
    if (name === 'set-cookie') {
      const cookie = decodeURIComponent(line.slice(line.indexOf('=') + 1, line.indexOf(';')))
      remember('cookie', cookie)
      overhear(name, `${line} ${cookie} ${Buffer.from(cookie, 'base64url').toString('latin1')}`)
    } else {
      overhear(name, withoutHint(line))
    }
  }
}

/** An ID Token is sent back to the provider that made it (RP-Initiated Logout 1.0 §2). */
function withoutHint(text: string): string {
  return text.replaceAll(/id_token_hint=[^&"]+/g, '')
}
