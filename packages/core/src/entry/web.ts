export { toAuthRequest } from '../web/request.ts'
export { WebResponse } from '../web/response.ts'
