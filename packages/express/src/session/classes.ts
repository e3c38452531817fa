import type expressSession from 'express-session'
// @ts-expect-error The types describe the main module of the package alone.
import cookie from 'express-session/session/cookie.js'
// @ts-expect-error The same.
import store from 'express-session/session/store.js'

/**
 * The cookie class of express-session. Loading the main module of that package, with the
 * middleware, takes four times as long.
 */
export const Cookie: typeof expressSession.Cookie = cookie

/** The store class of express-session, which creates `req.session`. */
export const Store: typeof expressSession.Store = store
export type Store = expressSession.Store
