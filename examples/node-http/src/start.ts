import { people, runExample } from '@latchkey/example-shared'
import { createApp } from './app.ts'

await runExample({ title: 'Without a framework', createApp, users: people.slice(0, 1) })
