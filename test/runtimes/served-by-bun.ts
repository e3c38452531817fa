import { upgradeWebSocket, websocket } from 'hono/bun'
import { fetchWithSocket } from './socket.ts'

/** Bun serves the default export of the main module, at the port of the environment. */
const fetch = fetchWithSocket(upgradeWebSocket)

export default { port: Number(process.env.PORT), hostname: '127.0.0.1', fetch, websocket }
