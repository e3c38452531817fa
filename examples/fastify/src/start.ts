import { people, runExample } from '@latchkey/example-shared'
import { createApp } from './app.ts'

await runExample({
  title: 'Fastify',
  users: people.slice(0, 1),
  async createApp(options) {
    const app = await createApp(options)
    await app.ready()
    return app.server
  },
})
