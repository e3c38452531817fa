import { type Permission, roleMay } from '../../domain/operators/roles.ts'
import type { Support } from '../../domain/operators/support.ts'
import type { Scope, ServiceScope } from '../../domain/writes/context.ts'
import type { Language } from '../../pages/index.ts'
import type { OperatorUser } from '../../store/ports.ts'
import type { ProtocolStore } from '../../store/protocol-store.ts'
import type { Tenant } from '../../store/records.ts'
import type { Webhooks } from '../../webhooks/index.ts'
import type { Lines, Part } from '../../wire/json-lines.ts'
import type { Upload } from '../forms/uploads.ts'
import type { Content } from '../pages/index.ts'

/** The process that serves the console, and its stores. */
export interface System {
  readonly version: string
  /** Where tenants and users are, and where sessions and tokens are. */
  readonly stores: { readonly data: string; readonly protocol: string }
  /** Seconds since the epoch. */
  readonly startedAt: number
  /** Rejects, with the reason, when a store cannot write. */
  check(): Promise<void>
  readonly queues: Pick<ProtocolStore, 'mail' | 'notices'>
}

/** A request about the tenant of its path. */
export interface TenantCall extends Call<Scope> {
  /** The tenant, as it is now. */
  readonly tenant: Tenant
}

/** A request of an operator who may make it. */
export interface Call<S extends ServiceScope = ServiceScope> {
  /** The operator as actor, within the tenant of the path. */
  readonly scope: S
  readonly operator: OperatorUser
  readonly support: Support
  readonly webhooks: Webhooks
  /** The parts of the path, by name. */
  readonly ids: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly system: System
  /** The content of a form. */
  readonly form: URLSearchParams
  /** The file that the form sends. */
  readonly upload?: Upload | undefined
  /** The tenant of the path, where it names one. */
  readonly tenant?: Tenant | undefined
  /** The secrets that this page shows once; `used` if they were shown before, or are too old. */
  readonly once?: URLSearchParams | 'used' | undefined
  /** The origin of the console. */
  readonly origin: string
  /** The language of the page. */
  readonly language: Language
}

/** How a request ends: with a page, a redirect to one, or a file of lines. */
export type Answer =
  | ({ readonly kind: 'page' } & Content)
  | { readonly kind: 'redirect'; readonly to: string }
  | {
      readonly kind: 'lines'
      readonly fileName: string
      readonly lines: Lines
      /** Reads the part behind a place. */
      read(after: string | undefined): Promise<Part>
    }

/** An {@link Answer}, or a redirect to a page that shows secrets once: see `once` of {@link Call}. */
export type Result =
  | Answer
  | {
      readonly kind: 'secrets'
      readonly to: string
      readonly secrets: Readonly<Record<string, string>>
    }

/** A page, or the action of a form. */
export interface ConsoleRoute {
  /** `POST` alone changes anything. */
  readonly method: 'GET' | 'POST'
  /** The path, with parts such as `:tenant`. */
  readonly path: string
  /** The permission that the operator needs. */
  readonly needs: Permission
  /** The tenant of the path; the whole service; or `any`, if the page itself checks the reach. */
  readonly concerns: 'tenant' | 'service' | 'any'
  /** Whether the operator must have logged in within the last five minutes, for some forms by what they change. */
  readonly isDangerous: IsDangerous
  run(call: Call): Promise<Result>
}

type IsDangerous = boolean | ((form: URLSearchParams, tenant: Tenant | undefined) => boolean)

type Options = { needs?: Permission; isDangerous?: IsDangerous }

/** A page of the whole service. */
export function servicePage(
  path: string,
  run: (call: Call) => Promise<Result>,
  { needs = 'read', isDangerous = false }: Options = {},
): ConsoleRoute {
  return { method: 'GET', path, needs, concerns: 'service', isDangerous, run }
}

/** A form that changes something of the whole service. */
export function serviceForm(
  path: string,
  run: (call: Call) => Promise<Result>,
  { needs = 'edit', isDangerous = false }: Options = {},
): ConsoleRoute {
  return { method: 'POST', path, needs, concerns: 'service', isDangerous, run }
}

/** A page of a tenant; its path begins with `/console/t/:tenant`. */
export function tenantPage(
  path: string,
  run: (call: TenantCall) => Promise<Result>,
  { needs = 'read', isDangerous = false }: Options = {},
): ConsoleRoute {
  return ofTenant({ method: 'GET', path, needs, isDangerous }, run)
}

/** A form that changes something of a tenant. */
export function tenantForm(
  path: string,
  run: (call: TenantCall) => Promise<Result>,
  { needs = 'edit', isDangerous = false }: Options = {},
): ConsoleRoute {
  return ofTenant({ method: 'POST', path, needs, isDangerous }, run)
}

function ofTenant(
  route: Omit<ConsoleRoute, 'concerns' | 'path' | 'run'> & { path: string },
  run: (call: TenantCall) => Promise<Result>,
): ConsoleRoute {
  return {
    ...route,
    path: `/console/t/:tenant${route.path}`,
    concerns: 'tenant',
    async run({ tenant, ...call }) {
      if (!tenant) throw new Error(`${route.path} is of a tenant, and was asked for without one.`)
      return run({ ...call, tenant, scope: { ...call.scope, tenantId: tenant.id } })
    },
  }
}

/** Whether the operator of the request has the permission. */
export function may({ operator }: Pick<Call, 'operator'>, permission: Permission): boolean {
  return roleMay(operator.operator.role, permission)
}

/** The secret of that name, if this page is to show it. */
export function secretIn({ once }: Call, name: string): string | undefined {
  return (once instanceof URLSearchParams && once.get(name)) || undefined
}

/** Redirects to a page that shows the result: see `notices` in `page.ts`. */
export function redirectTo(path: string, done?: string): Answer {
  return { kind: 'redirect', to: done === undefined ? path : `${path}?done=${done}` }
}
