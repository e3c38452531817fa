import type { AdapterPayload } from 'oidc-provider'
import {
  COMMAND_CLIENT,
  type CommandLogins,
  strengthAt,
} from '../../domain/operators/command-logins.ts'
import { operatorOfLogin } from '../../domain/operators/operators.ts'
import { lookUpTenant } from '../../domain/tenants/tenants.ts'
import { acrOf } from '../../domain/ways/assurance.ts'
import type { Holder } from '../../domain/writes/entries.ts'
import { lifetimes } from '../../domain/writes/lifetimes.ts'
import { entryName, type ProtocolEntry } from '../../store/protocol-store.ts'
import { SYSTEM_TENANT_ID } from '../../store/system-tenant.ts'
import type { IssuerContext } from '../context.ts'
import { DEVICE_GRANT } from '../engine/device-code.ts'
import { readConsent } from './consents.ts'

/** The name of the `latchkey` command on pages, as people type it. */
export const COMMAND_NAME = 'latchkey'

/** Matches the opaque access tokens of oidc-provider. */
const TOKEN = /^[\w-]{43}$/

/**
 * The maximum number of seconds between the login in the browser and the issue of the token: the
 * age of a recent login, plus the lifetime of the device code.
 */
const MAX_SINCE_LOGIN = lifetimes.recentLoginSeconds + lifetimes.deviceCodeSeconds

/**
 * The `latchkey` command as a client at the issuer of operators. It is public and uses only the
 * device flow.
 */
export function commandClient(issuer: string): AdapterPayload {
  return {
    client_id: COMMAND_CLIENT,
    client_name: COMMAND_NAME,
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    scope: 'openid',
    redirect_uris: [],
    response_types: [],
    grant_types: [DEVICE_GRANT],
    ...(strengthAt(issuer).acr && { default_acr_values: [acrOf.mfa] }),
  }
}

/** Whether a client is the `latchkey` command. */
export function isCommand(tenantId: string, clientId: unknown): boolean {
  return tenantId === SYSTEM_TENANT_ID && clientId === COMMAND_CLIENT
}

/**
 * Revokes all logins of an operator with the `latchkey` command. A later consent does not make them
 * valid again. Does nothing for other clients.
 */
export async function endCommandLogins(
  { context: { protocol }, tenant }: Holder,
  userId: string,
  clientId: string,
): Promise<void> {
  if (!isCommand(tenant.id, clientId)) return
  const tokens = await protocol.listByAccount(tenant.id, 'AccessToken', userId)
  await Promise.all(tokens.map((token) => protocol.delete(token)))
}

interface StoredToken {
  clientId?: string
  accountId?: string
  grantId?: string
  sessionUid?: string
  gty?: string
  /** Seconds since the epoch. */
  iat?: number
  extra?: { login_at?: number; kept_at?: number }
}

interface StoredSession {
  accountId?: string
  acr?: string
}

/**
 * Creates the lookup of operators' logins with the `latchkey` command. The command's access token
 * is opaque, so only this function can verify it. Each lookup checks everything that the token
 * depends on: the grant, the consent, the session in which the login was confirmed, and the
 * operator.
 */
export function createCommandLogins(
  context: IssuerContext,
  consoleUrl: string | undefined,
): CommandLogins {
  const { protocol, domain } = context
  return {
    async find(text) {
      if (consoleUrl === undefined || !TOKEN.test(text)) return undefined
      const stored = await protocol.find(entryName(SYSTEM_TENANT_ID, 'AccessToken', text))
      const token = stored && parsed<StoredToken>(stored)
      const { accountId, grantId, sessionUid, iat = 0, extra } = token ?? {}
      const loggedInAt = extra?.login_at
      const isOfCommand = token?.clientId === COMMAND_CLIENT && token.gty === 'device_code'
      if (!isOfCommand || !accountId || !grantId || !sessionUid) return undefined
      if (loggedInAt === undefined || iat - loggedInAt > MAX_SINCE_LOGIN) return undefined

      const [tenant, grant, session] = await Promise.all([
        lookUpTenant(domain, SYSTEM_TENANT_ID),
        protocol.find(entryName(SYSTEM_TENANT_ID, 'Grant', grantId)),
        protocol.findByUid(SYSTEM_TENANT_ID, 'Session', sessionUid),
      ])
      if (!tenant || !grant || !session) return undefined
      const { accountId: holderOfSession, acr } = parsed<StoredSession>(session)
      const { acr: needed } = strengthAt(consoleUrl)
      if (holderOfSession !== accountId) return undefined
      if (needed && !needed.includes(acr ?? '')) return undefined

      const holder = { context, tenant }
      const [consent, operator] = await Promise.all([
        readConsent(holder, accountId, COMMAND_CLIENT),
        operatorOfLogin(domain, accountId, loggedInAt, extra?.kept_at),
      ])
      return consent && operator && { operator, loggedInAt }
    },
  }
}

function parsed<T>({ payload }: ProtocolEntry): T {
  return JSON.parse(payload) as T
}
