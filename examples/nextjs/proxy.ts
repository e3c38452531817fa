import { auth } from './auth'

// Answers /login, /callback and /logout, and passes every other request on.
export const proxy = auth.proxy
