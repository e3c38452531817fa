import { createServer } from 'node:http'
import { people, runExample } from '@latchkey/example-shared'
import { createApp } from './app.ts'

await runExample({
  title: 'Koa',
  users: people.slice(0, 1),
  createApp(options) {
    const answer = createApp(options).callback()
    return createServer((req, res) => void answer(req, res))
  },
})
