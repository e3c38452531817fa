import type { Provider } from 'oidc-provider'
import type { ClientAccess, Program, Support } from '../../domain/operators/support.ts'
import {
  blockedHosts,
  isSelfDescribedId,
  listedHosts,
} from '../../domain/tenants/client-documents.ts'
import { getTenant, setHostBlocked } from '../../domain/tenants/tenants.ts'
import { getUser } from '../../domain/users/users.ts'
import { note } from '../../domain/writes/audit.ts'
import { keyOf } from '../../domain/writes/entries.ts'
import { found } from '../../domain/writes/errors.ts'
import type { Micros, Tenant } from '../../store/records.ts'
import type { IssuerContext } from '../context.ts'
import {
  consentsOf,
  consentsTo,
  type GivenConsent,
  hostsOf,
  programSince,
  programsOf,
} from '../provider/consents.ts'
import { withdrawConsent } from '../sessions/withdraw-consent.ts'

/**
 * Creates the part of {@link Support} for the access that users have given to clients, and for the
 * hosts of these clients (`programs`).
 */
export function accessTo(
  context: IssuerContext,
  providerOf: (tenant: Tenant) => Promise<Provider>,
): Pick<
  Support,
  'withdrawAccess' | 'grants' | 'grantsTo' | 'programs' | 'program' | 'blockProgram'
> {
  return {
    async withdrawAccess(scope, userId, id) {
      const [tenant, user] = await Promise.all([getTenant(scope), getUser(scope, userId)])
      const consents = await consentsOf({ context, tenant }, user.id)
      const consent = found(consents.find((one) => keyOf(one.clientId) === id))
      const { clientId } = consent
      await withdrawConsent(context, await providerOf(tenant), user, clientId)
      const actor = { ...scope.actor, applicationId: clientId }
      await note({ ...scope, actor }, 'consent.withdrawn', user.id)
      return accessOf({ ...consent, userId: user.id })
    },

    async grants(scope, userId) {
      const [tenant, user] = await Promise.all([getTenant(scope), getUser(scope, userId)])
      const consents = await consentsOf({ context, tenant }, user.id)
      return consents.map((consent) => accessOf({ ...consent, userId: user.id }))
    },

    async grantsTo(scope, to, page) {
      const { items, next } = await consentsTo(
        { context, tenant: await getTenant(scope) },
        to,
        page,
      )
      return { items: items.map(accessOf), next }
    },

    async programs(scope, isBlocked, { after, limit }) {
      const tenant = await getTenant(scope)
      const holder = { context, tenant }
      const items: Program[] = []
      if (isBlocked !== false && !(after && 'granted' in after)) {
        const behind = after && 'blocked' in after ? after.blocked : ''
        const hosts = blockedHosts(tenant).filter((host) => host > behind)
        const part = hosts.slice(0, limit)
        const times = part.map((host) => programSince(holder, host))
        const grantedAt = await Promise.all(times)
        items.push(...part.map((host, at) => programOf(tenant, host, grantedAt[at])))
        if (hosts.length > limit) return { items, next: { blocked: part.at(-1) ?? '' } }
        if (isBlocked) return { items, next: undefined }
        if (items.length === limit) return { items, next: { granted: null } }
      }
      const place = after && 'granted' in after ? after.granted : null
      const rest = { after: place ?? undefined, limit: limit - items.length }
      const granted = await programsOf(holder, rest)
      const others = granted.items
        .map(({ host, since }) => programOf(tenant, host, since))
        .filter((one) => !one.isBlocked)
      return { items: [...items, ...others], next: granted.next && { granted: granted.next } }
    },

    async program(scope, host) {
      const tenant = await getTenant(scope)
      const one = programOf(tenant, host, await programSince({ context, tenant }, host))
      const isKnown = one.isBlocked || one.isListed || one.grantedAt !== undefined
      return found(isKnown || one.judgedAt !== undefined ? one : undefined)
    },

    async blockProgram(scope, host, isBlocked) {
      const tenant = await setHostBlocked(scope, host, isBlocked)
      return programOf(tenant, host, await programSince({ context, tenant }, host))
    },
  }
}

/** The access of a client, in the form for operators. */
export function accessOf(consent: GivenConsent): ClientAccess {
  const { userId, clientId, name, place, since, usedAt, scopes, apis } = consent
  return {
    ...{ id: keyOf(clientId), userId, clientId, name, place, since, usedAt, apis },
    isApplication: !isSelfDescribedId(clientId),
    hosts: hostsOf(consent),
    scopes: [...scopes, ...Object.values(apis).flat()],
    ofLogin: scopes,
  }
}

function programOf(tenant: Tenant, host: string, grantedAt: Micros | undefined): Program {
  return {
    host,
    isBlocked: blockedHosts(tenant).includes(host),
    isListed: listedHosts(tenant).includes(host),
    judgedAt: Object.entries(tenant.endedHosts ?? {}).find(([name]) => name === host)?.[1],
    grantedAt,
  }
}
