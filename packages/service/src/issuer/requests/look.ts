import type { IncomingMessage } from 'node:http'
import { lookUpApplication } from '../../domain/applications.ts'
import {
  chooseLanguage,
  type Language,
  type Look,
  type TextKey,
  type WayOn,
} from '../../pages/index.ts'
import type { Tenant } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'

/** Whose page it is, and in which language its visitor reads. */
export function lookFor(
  tenant: Tenant,
  request: IncomingMessage,
  uiLocales?: unknown,
): Look & { language: Language } {
  const { companyName, logoImageText, supportEmail } = tenant.settings
  return {
    language: chooseLanguage(
      typeof uiLocales === 'string' ? uiLocales : undefined,
      request.headers['accept-language'],
    ),
    companyName,
    logoText: logoImageText,
    supportEmail,
  }
}

/** The way back to an application, where it has said how its logins begin. */
export async function wayToApplication(
  context: IssuerContext,
  tenant: Tenant,
  applicationId: string | undefined,
  text: TextKey,
): Promise<WayOn | undefined> {
  if (applicationId === undefined) return undefined
  const application = await lookUpApplication(context.domain, tenant.id, applicationId)
  const url = URL.parse(application?.loginUrl ?? '')
  if (!application || !url || !/^https?:$/.test(url.protocol)) return undefined
  return { href: url.href, text, values: { application: application.name || url.host } }
}
