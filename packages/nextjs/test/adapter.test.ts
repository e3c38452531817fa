import { describe } from 'vitest'
import { runContract } from '../../../test/support/adapter-contract.ts'
import { createServer } from './support/fixture.ts'
import { tryPages } from './support/pages.ts'

const BUILT = 'the application is built, and in production there is neither'
const OWN_ERROR_PAGE = 'Next.js sends its own error page without the headers of the handler'
const BUFFERED = 'Next.js reads a body to its end for the proxy'
const TWO_COPIES =
  'the proxy and the routes are two copies, which know nothing of each other’s ends'

const ALWAYS = {
  'flight recorder': BUILT,
  personas: BUILT,
  'no cache may keep an error page after the session was looked at': OWN_ERROR_PAGE,
  'no cache may keep the framework’s own error page of a guarded route': OWN_ERROR_PAGE,
  'reading a body of 300 MB stops early, with and without content-length': BUFFERED,
  'reading a webhook of 300 MB stops early': BUFFERED,
  'a content-length of 300 MB is answered 413 before the body is sent': BUFFERED,
}

/** A copy of a cookie works for up to a minute, as docs/guides/nextjs.md says. */
const IN_COOKIES = {
  'a copy of the session cookie is refused after a logout': TWO_COPIES,
  'every login has a new session id, and the previous id is not valid': TWO_COPIES,
  'a session id that was planted before the login is not valid after it': TWO_COPIES,
  'the signal of an open connection is aborted when its session ends, and that of another session is not':
    TWO_COPIES,
}

runContract('Next.js 16', createServer, ['memory'], (sessions) =>
  sessions === 'cookies' ? { ...ALWAYS, ...IN_COOKIES } : ALWAYS,
)

// In this file, as both need the application to be built.
describe('pages', tryPages)
