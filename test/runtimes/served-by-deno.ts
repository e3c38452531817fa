import { upgradeWebSocket } from 'hono/deno'
import { fetchWithSocket } from './socket.ts'

/** Deno serves the default export of the main module, at the port of its command line. */
const fetch = fetchWithSocket(upgradeWebSocket)

export default { fetch }
