export {
  createWebhookHandler,
  type WebhookHandler,
  type WebhookRequest,
} from '../webhooks/handler.ts'
export type { WebhookHandlerOptions } from '../webhooks/options.ts'
