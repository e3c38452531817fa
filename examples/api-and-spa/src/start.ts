import { runExample } from '@latchkey/example-shared'
import { createApp } from './app.ts'

await runExample({ title: 'API and page', createApp })
