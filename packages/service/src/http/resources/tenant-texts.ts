import { z } from 'zod'
import { textNames, textRules, updateTexts } from '../../domain/tenants/tenant-texts.ts'
import { getTenant } from '../../domain/tenants/tenants.ts'
import { ServiceError } from '../../domain/writes/errors.ts'
import { nearestName } from '../../domain/writes/nearest-name.ts'
import { reason } from '../../domain/writes/reasons/index.ts'
import type { Tenant } from '../../store/records.ts'
import { omitZero } from '../../wire/omit-zero.ts'
import { type Route, write } from '../route.ts'

const path = '/x/v1/tenants/:tenant_id/texts'

/** The maximum length and the placeholders of each text, for the OpenAPI document. */
const rules = textNames
  .map((name) => {
    const { most, places, required } = textRules[name]
    const needed = required.map((place) => `{${place}}`).join(' and ')
    const all = places.map((place) => `{${place}}`).join(', ')
    return `${name}: ${most} bytes, with ${all}${needed && ` (${needed} required)`}`
  })
  .join('; ')

const texts = z
  .record(z.string(), z.string().nullish())
  .nullish()
  .meta({ description: 'Texts by name. A missing, empty or null one is ours.' })

const textsBody = z
  .object({
    type: z.unknown().optional().meta({ description: '"TenantTexts"; ignored.' }),
    en: texts,
    de: texts,
  })
  .catchall(z.unknown())
  .meta({
    description: `All own texts of a tenant: plain text of one paragraph, without addresses of pages and mailboxes and without telephone numbers. ${rules}.`,
  })

const MEMBERS = ['type', 'en', 'de']

/** The routes of a tenant's own texts of mails and pages. */
export const tenantTextRoutes: Route[] = [
  {
    kind: 'get',
    path,
    operationId: 'getTexts',
    summary: 'The texts of mails and pages that a tenant has of its own',
    resource: 'TenantTexts',
    run: async ({ scope }) => serializeTexts(await getTenant(scope)),
  },
  write({
    path,
    operationId: 'updateTexts',
    summary: 'Replace the own texts of a tenant',
    resource: 'TenantTexts',
    body: textsBody,
    async run({ scope }, body) {
      const unknown = Object.keys(body).find((name) => !MEMBERS.includes(name))
      if (unknown !== undefined) {
        const nearest = nearestName(unknown, MEMBERS)
        throw new ServiceError(
          'invalid_request',
          nearest === undefined
            ? reason('text_unknown', { field: unknown, known: MEMBERS.join(', ') })
            : reason('text_unknown_nearest', { field: unknown, nearest }),
        )
      }
      const { en, de } = body
      return serializeTexts(await updateTexts(scope, { ...(en && { en }), ...(de && { de }) }))
    },
  }),
]

function serializeTexts({ texts }: Tenant): object {
  return { type: 'TenantTexts', ...omitZero({ en: texts?.en ?? {}, de: texts?.de ?? {} }) }
}
