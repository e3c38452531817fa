import { people, runExample } from '@latchkey/example-shared'
import { createApp } from './app.ts'

await runExample({ title: 'Hono', createApp, users: people.slice(0, 1) })
