import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { people, runExample } from '@latchkey/example-shared'
import { createApp } from './app.ts'

await runExample({
  title: 'Hono',
  users: people.slice(0, 1),
  // On Node. Bun and Deno take `fetch` as it is.
  createApp: (options) => createAdaptorServer(createApp(options)) as Server,
})
