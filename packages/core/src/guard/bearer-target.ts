import type { RequestContext } from '../context.ts'
import { ConfigError } from '../errors/errors.ts'
import { pathOf } from '../http/request.ts'
import { type ResolvedResource, resourceAt } from '../http/resources.ts'
import { nearestOf } from '../shared/check-options.ts'
import { noAudience, type Requirement } from './requirement.ts'

/** The resource or audience that the bearer token of a request must be for. */
export interface BearerTarget {
  /** The resource; `undefined` if the request is outside of all resources. */
  readonly resource: ResolvedResource | undefined
  /** The accepted values of `aud`, of which the token must have one. */
  readonly audiences: readonly string[]
}

/**
 * The target of a guard: the resource that its requirement names, otherwise the resource whose path
 * contains the request, otherwise the audience of the option `bearer`.
 *
 * @throws {@link ConfigError} if the named resource is not declared, or if no audience is set.
 */
export function targetOf(
  { context: { options }, request }: Pick<RequestContext, 'context' | 'request'>,
  { resource: path }: Pick<Requirement, 'resource'>,
): BearerTarget {
  const { bearer, resources } = options
  if (!bearer) throw noAudience()
  const resource =
    path === undefined
      ? resourceAt(resources, request.url)
      : (resources.find((one) => one.path === path) ?? undeclared(path, resources))
  if (resource) return { resource, audiences: [resource.identifier] }
  const { audiences } = bearer
  if (audiences.length === 0) throw outside(pathOf(request.url))
  return { resource, audiences }
}

/**
 * The parameters of a challenge that tell a client how to get a token for a resource (RFC 9728
 * §5.1); none outside of all resources.
 */
export function resourceParameters(
  { resource }: BearerTarget,
  scopes: readonly string[] = [],
): Readonly<Record<string, string | undefined>> {
  return resource ? { scope: scopeOf(scopes), resource_metadata: resource.metadataUrl } : {}
}

/**
 * The `scope` parameter of a challenge; `undefined` without scopes. `offline_access` is left out,
 * because clients request it from the provider and not for an API.
 */
export function scopeOf(scopes: readonly string[]): string | undefined {
  return scopes.filter((one) => one !== 'offline_access').join(' ') || undefined
}

const needed = new WeakMap<RequestContext, Set<string>>()

/**
 * Adds scopes to those that the guards of a request have required before, and returns all of them.
 */
export function needScopes(
  asked: RequestContext,
  scopes: readonly string[] = [],
): readonly string[] {
  const all = needed.get(asked) ?? new Set()
  for (const one of scopes) all.add(one)
  needed.set(asked, all)
  return [...all]
}

function undeclared(path: string, resources: readonly ResolvedResource[]): never {
  const paths = resources.map((one) => one.path)
  const nearest = nearestOf(path, paths)
  const known = nearest
    ? `Did you mean ${JSON.stringify(nearest)}?`
    : `There ${paths.length === 1 ? 'is' : 'are'} ${paths.map((one) => JSON.stringify(one)).join(', ') || 'none'}.`
  const remedy = `is ${JSON.stringify(path.slice(0, 200))}, which the option "resources" does not declare. ${known}`
  throw new ConfigError([{ option: 'resource', remedy }], 'A guard cannot decide:')
}

function outside(path: string): ConfigError {
  const remedy = `is not set, and ${JSON.stringify(path.slice(0, 200))}, where a guard accepts bearer tokens, is below no path of the option "resources". Add its path there, set "resource" of the guard, or set "bearer.audience".`
  return new ConfigError([{ option: 'bearer.audience', remedy }], 'A guard cannot decide:')
}
