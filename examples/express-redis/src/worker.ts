import cluster from 'node:cluster'
import { createServer } from 'node:http'
import { createSessionStore } from '@latchkey/session-store'
import { createApp } from './app.ts'

// One of the processes. What the application needs is in the environment: LATCHKEY_ISSUER, _CLIENT_ID,
// _CLIENT_SECRET, _BASE_URL and _SESSION_SECRET, the same for all.
const store = createSessionStore({ url: process.env.REDIS_URL })
const name = `process ${cluster.worker?.id ?? 1}, pid ${process.pid}`

createServer(createApp({ session: { store } }, name)).listen(Number(process.env.PORT), '127.0.0.1')
