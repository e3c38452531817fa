export { loopbackFetch } from './node/loopback-fetch.ts'
export { type NodeRequest, toAuthRequest } from './node/request.ts'
export { markPrivate, writeResponse } from './node/response.ts'
