export {
  createNodeFetch,
  createNodeTransport,
  isPublicAddress,
  type NodeFetchOptions,
} from './node/node-fetch.ts'
export { nodePlatform } from './node/platform.ts'
export { type NodeRequest, toAuthRequest } from './node/request.ts'
export { markPrivate, writeResponse } from './node/response.ts'
