import { runExample } from '@latchkey/example-shared'
import { createApp } from './app.js'

await runExample({ title: 'Plain JavaScript', createApp })
