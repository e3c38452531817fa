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

/** Facts about the process that serves the console, and its stores. */
export interface System {
  readonly version: string
  /**
   * The names of the stores, such as `PostgreSQL`: `data` holds tenants and users, `protocol` holds
   * sessions and tokens.
   */
  readonly stores: { readonly data: string; readonly protocol: string }
  /** The start of the process, in seconds since the epoch. */
  readonly startedAt: number
  /** Checks that all stores can write. Rejects with the reason if one cannot. */
  check(): Promise<void>
  /** The queues of mail and of logout notices to applications. */
  readonly queues: Pick<ProtocolStore, 'mail' | 'notices'>
}

/** A request to a route of a tenant, whose path begins with `/console/t/:tenant`. */
export interface TenantCall extends Call<Scope> {
  /** The tenant of the path, as stored now. */
  readonly tenant: Tenant
}

/** A request that has passed all checks, as its route gets it. */
export interface Call<S extends ServiceScope = ServiceScope> {
  /**
   * The scope for functions of the domain: the operator as actor, and the tenant of the path if
   * there is one.
   */
  readonly scope: S
  readonly operator: OperatorUser
  readonly support: Support
  readonly webhooks: Webhooks
  /** The values of the path parameters by name, such as `user` for `:user`. */
  readonly ids: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly system: System
  /** The fields of the submitted form; empty if there is no form. */
  readonly form: URLSearchParams
  /** The file that was submitted with the form. */
  readonly upload?: Upload | undefined
  /** The tenant of the path; `undefined` if the path names none. */
  readonly tenant?: Tenant | undefined
  /**
   * The secrets to show on this page, once. `'used'` if they were shown already or have expired.
   */
  readonly once?: URLSearchParams | 'used' | undefined
  /** The origin of the console. */
  readonly origin: string
  /** The language of the page. */
  readonly language: Language
}

/** The response to a request: a page, a redirect, or a file that is sent in parts. */
export type Answer =
  | ({ readonly kind: 'page' } & Content)
  | { readonly kind: 'redirect'; readonly to: string }
  | {
      readonly kind: 'lines'
      readonly fileName: string
      readonly lines: Lines
      /**
       * Reads one part of the file. `after` is the `next` of the part before; `undefined` reads the
       * first part.
       */
      read(after: string | undefined): Promise<Part>
    }

/**
 * The result of a route: an {@link Answer}, or a redirect to a page that shows `secrets` once. That
 * page finds them in `once` of its {@link Call}.
 */
export type Result =
  | Answer
  | {
      readonly kind: 'secrets'
      readonly to: string
      readonly secrets: Readonly<Record<string, string>>
    }

/** A route of the console: a page, or the action of a form. */
export interface ConsoleRoute {
  /** A `GET` shows a page. Only a `POST` changes data. */
  readonly method: 'GET' | 'POST'
  /** The path, with parameters such as `:tenant`. */
  readonly path: string
  /** The permission that the operator needs. */
  readonly needs: Permission
  /**
   * The reach that the operator needs: the tenant of the path, or the whole service. With `any`,
   * the route checks the reach itself.
   */
  readonly concerns: 'tenant' | 'service' | 'any'
  /**
   * Whether the operator must have logged in within the last five minutes. A function decides by
   * the fields of the form.
   */
  readonly isDangerous: IsDangerous
  /** Answers a request that has passed all checks. */
  run(call: Call): Promise<Result>
}

type IsDangerous = boolean | ((form: URLSearchParams, tenant: Tenant | undefined) => boolean)

type Options = { needs?: Permission; isDangerous?: IsDangerous }

/** The route of a page about the whole service. */
export function servicePage(
  path: string,
  run: (call: Call) => Promise<Result>,
  { needs = 'read', isDangerous = false }: Options = {},
): ConsoleRoute {
  return { method: 'GET', path, needs, concerns: 'service', isDangerous, run }
}

/** The route of a form that changes something in the whole service. */
export function serviceForm(
  path: string,
  run: (call: Call) => Promise<Result>,
  { needs = 'edit', isDangerous = false }: Options = {},
): ConsoleRoute {
  return { method: 'POST', path, needs, concerns: 'service', isDangerous, run }
}

/** The route of a page of a tenant. `path` is the part of the path after `/console/t/:tenant`. */
export function tenantPage(
  path: string,
  run: (call: TenantCall) => Promise<Result>,
  { needs = 'read', isDangerous = false }: Options = {},
): ConsoleRoute {
  return ofTenant({ method: 'GET', path, needs, isDangerous }, run)
}

/**
 * The route of a form that changes something in a tenant. `path` is the part of the path after
 * `/console/t/:tenant`.
 */
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

/** Whether the role of the operator has the permission. */
export function may({ operator }: Pick<Call, 'operator'>, permission: Permission): boolean {
  return roleMay(operator.operator.role, permission)
}

/** The secret with this name that the page shows once; `undefined` if there is none. */
export function secretIn({ once }: Call, name: string): string | undefined {
  return (once instanceof URLSearchParams && once.get(name)) || undefined
}

/**
 * A redirect to a page. `done` names the notice that the page shows: see `notices` in `page.ts`.
 */
export function redirectTo(path: string, done?: string): Answer {
  return { kind: 'redirect', to: done === undefined ? path : `${path}?done=${done}` }
}
