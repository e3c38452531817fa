import { createApplication } from './application.ts'

/** A worker sends no request and starts no timer outside a request, so the first one makes the application. */
// #region worker
let application: ReturnType<typeof createApplication> | undefined

export default {
  fetch(request: Request): Response | Promise<Response> {
    application ??= createApplication({ store: 'cookie' })
    return application.fetch(request)
  },
}
// #endregion worker
