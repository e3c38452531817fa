import { closestMatch } from 'leven'
import { findTenant, listTenants, searchTenants } from '../../../domain/tenants/tenants.ts'
import type { ServiceScope } from '../../../domain/writes/context.ts'
import { ServiceError } from '../../../domain/writes/errors.ts'
import { type Reason, reason } from '../../../domain/writes/reasons/index.ts'
import type { Reach, Tenant } from '../../../store/records.ts'
import type { TenantChoice } from '../../pages/index.ts'

/** The maximum number of tenants for which a form has a checkbox each. */
const MAX_BOXES = 20

/** The maximum number of domains that a text field suggests. */
const MAX_OFFERED = 50

/**
 * The maximum number of domains that are compared with an unknown one, and the number of tenants
 * that are read at a time.
 */
const MAX_COMPARED = 5_000
const COMPARED_AT_ONCE = 500

/** A choice of tenants: all of them, or some. */
export interface Chosen {
  readonly isAll: boolean
  /** The domains or ids of the chosen tenants. */
  readonly words: readonly string[]
}

/** The choice that a form sent, as checked boxes or as the text of a field. */
export function sentTenants(form: URLSearchParams): Chosen {
  const words = form.getAll('tenant').flatMap((text) => text.split(/[\s,]+/))
  return { isAll: form.get('reach') === 'all', words: words.filter((word) => word !== '') }
}

/**
 * Reads the tenants that the forms of a page offer. Resolves to a function that turns a choice into
 * the fields of one form, so that a page with many forms reads the tenants once.
 *
 * @param within - The tenants that the operator reaches. Others are not offered.
 */
export async function offerTenants(
  scope: ServiceScope,
  within: Reach,
): Promise<(chosen: Chosen) => TenantChoice> {
  const { items, total } = await listTenants(scope, within, {
    after: undefined,
    limit: MAX_OFFERED,
  })
  const domains = items.map(({ settings }) => settings.domain)
  if (total > MAX_BOXES) {
    return ({ isAll, words }) => ({ isAll, boxes: undefined, typed: words.join(' '), domains })
  }
  const named = items.map(({ id, name, settings: { domain } }) => ({ id, name, domain }))
  named.sort((one, other) => (one.name || one.domain).localeCompare(other.name || other.domain))
  return ({ isAll, words }) => ({
    ...{ isAll, typed: '', domains: [] },
    boxes: named.map((one) => ({
      ...one,
      isChosen: words.includes(one.id) || words.includes(one.domain),
    })),
  })
}

/**
 * The chosen tenants as a reach. A choice of all means all tenants that the operator reaches.
 *
 * @throws ServiceError `invalid_request` for a tenant that the operator does not reach, or that
 *   does not exist.
 */
export async function resolveTenants(
  scope: ServiceScope,
  within: Reach,
  { isAll, words }: Chosen,
): Promise<Reach> {
  if (isAll) return within
  const ids = new Set<string>()
  for (const word of words) {
    const tenant = await tenantBy(scope, within, word)
    if (!tenant) throw new ServiceError('invalid_request', await unknown(scope, within, word))
    ids.add(tenant.id)
  }
  return [...ids]
}

async function tenantBy(
  scope: ServiceScope,
  within: Reach,
  word: string,
): Promise<Tenant | undefined> {
  if (word.startsWith('ten_') && isWithin(within, word)) {
    const { items } = await listTenants(scope, [word], { after: undefined, limit: 1 })
    if (items[0]) return items[0]
  }
  const tenant = await findTenant(scope, URL.parse(`https://${word}`)?.host ?? word)
  return tenant && isWithin(within, tenant.id) ? tenant : undefined
}

function isWithin(within: Reach, id: string): boolean {
  return within === 'all' || within.includes(id)
}

/** The reason for the refusal of an unknown tenant, with the nearest domain if there is one. */
async function unknown(scope: ServiceScope, within: Reach, word: string): Promise<Reason> {
  const given = word.slice(0, 100)
  const nearest = await nearestDomain(scope, within, given.toLowerCase())
  return nearest === undefined
    ? reason('tenant_unknown', { given })
    : reason('tenant_unknown_near', { given, nearest })
}

/**
 * The domain of the first tenant whose domain or name begins with the word. Without one, the domain
 * with the most similar spelling.
 */
async function nearestDomain(
  scope: ServiceScope,
  within: Reach,
  word: string,
): Promise<string | undefined> {
  const begun = await searchTenants(scope, within, word, { after: undefined, limit: 1 })
  if (begun.items[0]) return begun.items[0].settings.domain
  const domains: string[] = []
  for (let after: string | undefined, more = true; more && domains.length < MAX_COMPARED; ) {
    const page = await listTenants(scope, within, { after, limit: COMPARED_AT_ONCE })
    domains.push(...page.items.map(({ settings }) => settings.domain))
    after = page.items.at(-1)?.id
    more = page.more
  }
  return closestMatch(word, domains, { maxDistance: Math.max(2, Math.floor(word.length / 3)) })
}
