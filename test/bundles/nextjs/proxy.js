import { auth } from './auth.js'

export const proxy = auth.proxy
