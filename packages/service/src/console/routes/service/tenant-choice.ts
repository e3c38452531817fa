import { closestMatch } from 'leven'
import { findTenant, listTenants, searchTenants } from '../../../domain/tenants/tenants.ts'
import type { ServiceScope } from '../../../domain/writes/context.ts'
import { ServiceError } from '../../../domain/writes/errors.ts'
import { type Reason, reason } from '../../../domain/writes/reasons/index.ts'
import type { Reach, Tenant } from '../../../store/records.ts'
import type { TenantChoice } from '../../pages/index.ts'

/** The number of tenants up to which a form has a box for each. */
const MAX_BOXES = 20

/** The number of domains that a field offers while one is typed. */
const MAX_OFFERED = 50

/** The number of tenants with whose domains an unknown one is compared, and how many are read at a time. */
const MAX_COMPARED = 5_000
const COMPARED_AT_ONCE = 500

/** The tenants that a form has sent, or that an operator has: all, or some by domain or id. */
export interface Chosen {
  readonly isAll: boolean
  readonly words: readonly string[]
}

/** The tenants that a form has sent: the boxes that are checked, or the text of a field. */
export function sentTenants(form: URLSearchParams): Chosen {
  const words = form.getAll('tenant').flatMap((text) => text.split(/[\s,]+/))
  return { isAll: form.get('reach') === 'all', words: words.filter((word) => word !== '') }
}

/**
 * Reads the tenants that forms of a page offer, once; answers with the fields of each form.
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
 * The tenants that were chosen, as a reach. All are those that the operator reaches.
 *
 * @throws ServiceError `invalid_request` for the first that the operator does not reach, or that does not exist.
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

async function unknown(scope: ServiceScope, within: Reach, word: string): Promise<Reason> {
  const given = word.slice(0, 100)
  const nearest = await nearestDomain(scope, within, given.toLowerCase())
  return nearest === undefined
    ? reason('tenant_unknown', { given })
    : reason('tenant_unknown_near', { given, nearest })
}

/** The domain of the tenant whose domain or name begins with the word, or the domain that is spelled most like it. */
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
