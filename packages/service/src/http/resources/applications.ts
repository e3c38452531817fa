import { exceptionsOf } from '../../domain/applications/application-exceptions.ts'
import { isOnFapi } from '../../domain/applications/application-profile.ts'
import {
  createApplication,
  deleteApplication,
  getApplication,
  listApplications,
  openSecret,
  updateApplication,
} from '../../domain/applications/applications.ts'
import type { Application } from '../../store/records.ts'
import { applicationInput, serializeApplication } from '../../wire/applications.ts'
import { applicationBody } from '../../wire/schemas.ts'
import { type Call, list, type Route, write } from '../route.ts'

const collection = '/v1/tenants/:tenant_id/applications'
const single = `${collection}/:application_id`

const NO_REDIRECT =
  '"redirect_urls" is empty now, so no user can log in at the application: an update replaces the whole object.'

export const applicationRoutes: Route[] = [
  list({
    path: collection,
    operationId: 'listApplications',
    summary: 'The applications of a tenant',
    resource: 'Application',
    run: ({ scope }, page) => listApplications(scope, page),
    serialize: (call, application) => withSecret(call, application),
  }),
  write({
    path: collection,
    operationId: 'createApplication',
    summary: 'Create an application; its secret is in the answer to GET',
    resource: 'Application',
    body: applicationBody,
    run: async ({ scope }, body) =>
      serializeApplication(await createApplication(scope, applicationInput(body))),
  }),
  {
    kind: 'get',
    path: single,
    operationId: 'getApplication',
    summary: 'One application',
    resource: 'Application',
    run: async (call) =>
      withSecret(call, await getApplication(call.scope, call.ids.application_id)),
  },
  write({
    path: single,
    operationId: 'updateApplication',
    summary: 'Replace an application; its secret stays',
    resource: 'Application',
    body: applicationBody,
    async run(call, body) {
      const { scope, ids, warn } = call
      const before = await getApplication(scope, ids.application_id)
      const application = await updateApplication(scope, ids.application_id, applicationInput(body))
      if (application.redirectUrls.length === 0 && before.redirectUrls.length > 0) {
        warn(`${NO_REDIRECT} It had: ${before.redirectUrls.join(' ')}`)
      }
      return withSecret(call, application)
    },
  }),
  {
    kind: 'delete',
    path: single,
    operationId: 'deleteApplication',
    summary: 'Delete an application; answers with its last version',
    resource: 'Application',
    run: async ({ scope, ids }) =>
      serializeApplication(await deleteApplication(scope, ids.application_id)),
  },
]

/**
 * An application in the form of the API, with its client secret if it has one. An operator gets no
 * secret: the console shows it, after a recent login.
 */
function withSecret({ scope, login }: Call, application: Application): object {
  const { context } = scope
  const { metadata } = application
  const hasSecret = !login && !exceptionsOf(metadata).isPublic && !isOnFapi(metadata)
  return serializeApplication(application, hasSecret ? openSecret(context, application) : undefined)
}
