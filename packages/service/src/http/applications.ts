import {
  type ApplicationInput,
  createApplication,
  deleteApplication,
  openSecret,
  updateApplication,
} from '../domain/applications.ts'
import { notFound } from '../domain/errors.ts'
import type { Application } from '../store/records.ts'
import { list, type Route, write } from './route.ts'
import { type ApplicationBody, applicationBody } from './schemas.ts'
import { formatTimestamp } from './timestamps.ts'
import { omitZero } from './wire.ts'

const collection = '/v1/tenants/:tenant_id/applications'
const single = `${collection}/:application_id`

export const applicationRoutes: Route[] = [
  list({
    path: collection,
    operationId: 'listApplications',
    summary: 'The applications of a tenant',
    resource: 'Application',
    async run({ context, ids }, page) {
      const listing = await context.store.applications.list(ids.tenant_id, page)
      if (!listing) throw notFound()
      return listing
    },
    serialise: ({ context }, application) =>
      serialiseApplication(application, openSecret(context, application)),
  }),
  write({
    path: collection,
    operationId: 'createApplication',
    summary: 'Create an application; its secret is in the answer to GET',
    resource: 'Application',
    body: applicationBody,
    run: async ({ context, actor, ids }, body) =>
      serialiseApplication(
        await createApplication(context, actor, ids.tenant_id, applicationInput(body)),
      ),
  }),
  {
    kind: 'get',
    path: single,
    operationId: 'getApplication',
    summary: 'One application',
    resource: 'Application',
    async run({ context, ids }) {
      const application = await context.store.applications.get(ids.tenant_id, ids.application_id)
      if (!application) throw notFound()
      return serialiseApplication(application, openSecret(context, application))
    },
  },
  write({
    path: single,
    operationId: 'updateApplication',
    summary: 'Replace an application; its secret stays',
    resource: 'Application',
    body: applicationBody,
    async run({ context, actor, ids }, body) {
      const { tenant_id, application_id } = ids
      const input = applicationInput(body)
      const application = await updateApplication(context, actor, tenant_id, application_id, input)
      return serialiseApplication(application, openSecret(context, application))
    },
  }),
  {
    kind: 'delete',
    path: single,
    operationId: 'deleteApplication',
    summary: 'Delete an application; answers with its last version',
    resource: 'Application',
    run: async ({ context, actor, ids }) =>
      serialiseApplication(
        await deleteApplication(context, actor, ids.tenant_id, ids.application_id),
      ),
  },
]

/** What a body says about an application. */
export function applicationInput(body: ApplicationBody): ApplicationInput {
  return {
    name: body.name,
    metadata: body.metadata,
    loginUrl: body.login_url,
    logoutUrls: body.logout_urls,
    redirectUrls: body.redirect_urls,
  }
}

/** An application as the API answers with it; without `secret` after a create or a delete. */
function serialiseApplication(application: Application, secret?: string): object {
  return omitZero(
    {
      type: 'Application',
      id: application.id,
      name: application.name,
      created_at: formatTimestamp(application.createdAt),
      updated_at: formatTimestamp(application.updatedAt),
      metadata: application.metadata,
      secret,
      login_url: application.loginUrl,
      logout_urls: application.logoutUrls,
      redirect_urls: application.redirectUrls,
    },
    ['logout_urls', 'redirect_urls'],
  )
}
