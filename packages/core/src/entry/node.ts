export { nodePlatform } from '../node/platform.ts'
export { type NodeRequest, toAuthRequest } from '../node/request.ts'
export { type NodeResponse, toResponsePort } from '../node/response.ts'
export { serveNode } from '../node/serve.ts'
export {
  type AuthSocket,
  openSocketVisit,
  type SocketHandle,
  socketHandle,
} from '../node/socket.ts'
export { createNodeTransport, type NodeTransportOptions } from '../node/transport.ts'
export { type NodeWebhookRequest, rawBodyOf, serveNodeWebhook } from '../node/webhook.ts'
