import type { ApplicationInput } from '../domain/applications/application-checks.ts'
import type { Application } from '../store/records.ts'
import { omitZero } from './omit-zero.ts'
import type { ApplicationBody } from './schemas.ts'
import { formatTimestamp } from './timestamps.ts'

/** The application in a body. */
export function applicationInput(body: ApplicationBody): ApplicationInput {
  return {
    name: body.name,
    metadata: body.metadata,
    loginUrl: body.login_url,
    logoutUrls: body.logout_urls,
    redirectUrls: body.redirect_urls,
  }
}

/** An application in the form of the API; without `secret` after a create or a delete. */
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
