import type { ApplicationInput } from '../domain/applications/application-checks.ts'
import type { Application } from '../store/records.ts'
import { omitZero } from './omit-zero.ts'
import type { ApplicationBody } from './schemas.ts'
import { formatTimestamp } from './timestamps.ts'

/** Makes the input for an application from a request body. */
export function applicationInput(body: ApplicationBody): ApplicationInput {
  return {
    name: body.name,
    metadata: body.metadata,
    loginUrl: body.login_url,
    logoutUrls: body.logout_urls,
    redirectUrls: body.redirect_urls,
  }
}

/**
 * Makes the response body for an application. `secret`: the client secret in plain text;
 * `undefined` to omit it.
 */
export function serializeApplication(application: Application, secret?: string): object {
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
