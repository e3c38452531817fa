import {
  type AuthOptions,
  createAuthRouter,
  createWebhookHandler,
  type SessionStore,
} from '@latchkey/express'
import * as latchkey from '@latchkey/fastify'
import type { ManagementClient, TenantEvent } from '@latchkey/management'
import express, { type Express } from 'express'
import fastify, { type FastifyInstance } from 'fastify'

/** An application that ends the sessions of users who are disabled or deleted. */
export function createExpressApp(connection: AuthOptions, store: SessionStore): Express {
  // #region express
  const app = express()
  const auth = createAuthRouter({ ...connection, session: { ...connection.session, store } })
  app.use(auth)
  app.post(
    '/webhooks',
    createWebhookHandler({
      secret: process.env.WEBHOOK_SECRET,
      store,
      async onEvent(event) {
        switch (event.type) {
          case 'user.disabled':
          case 'user.deleted':
            await auth.sessions.revokeAll(event.data.id)
        }
      },
    }),
  )
  app.use(express.json())
  // #endregion
  return app
}

/** A receiver alone, which prints each event. */
export function createFastifyApp(print: (line: string) => void): FastifyInstance {
  // #region fastify
  const app = fastify()
  app.post(
    '/webhooks',
    latchkey.createWebhookHandler({
      secret: process.env.WEBHOOK_SECRET,
      onEvent: ({ type, data }) => print(`${type} ${data.id}`),
    }),
  )
  // #endregion
  return app
}

/** The options while a secret is rotated. */
export function rotating(print: (line: string) => void): express.RequestHandler {
  // #region rotation
  const handler = createWebhookHandler({
    secret: [String(process.env.WEBHOOK_SECRET), String(process.env.OLD_WEBHOOK_SECRET)],
    onEvent: ({ type }) => print(type),
    onUnknownEvent: ({ type }) => print(`${type} is new`),
  })
  // #endregion
  return handler
}

/** An application that reads the events itself. */
export async function follow(
  client: ManagementClient,
  tenantId: string,
  lastSequence: number,
  apply: (event: TenantEvent) => Promise<void>,
): Promise<void> {
  // #region follow
  for await (const event of client.events(tenantId).follow({ after: lastSequence })) {
    await apply(event)
    lastSequence = event.data.sequence // keep it where it outlives the process
  }
  // #endregion
}
