import type expressSession from 'express-session'
// @ts-expect-error The types describe the main module of the package alone.
import cookie from 'express-session/session/cookie.js'
// @ts-expect-error The same.
import store from 'express-session/session/store.js'

/** The cookie of a session of express-session, without the middleware, which takes three times as long to load. */
export const Cookie: typeof expressSession.Cookie = cookie

/** The store of express-session, which makes `req.session`. */
export const Store: typeof expressSession.Store = store
