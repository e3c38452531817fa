import { createWebhookHandler } from '@latchkey/express'
import express from 'express'

const port = process.env.PORT ?? 5050
const app = express()
app.post(
  '/webhooks',
  createWebhookHandler({
    secret: process.env.WEBHOOK_SECRET,
    onEvent: ({ type, data }) => console.log(type, data.id),
  }),
)
app.listen(port, () => console.log(`Waiting for events at http://localhost:${port}/webhooks`))
