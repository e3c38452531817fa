import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { Provider } from 'oidc-provider'
import { type Member, members } from './members.ts'

type Method = (this: never, ...args: never) => unknown

/**
 * Replaces an undocumented member of one of oidc-provider's classes, for one provider.
 *
 * @param made - The new method or, for an accessor, the new getter.
 * @returns The original method or getter.
 * @throws Error if the member is missing, or is not as {@link members} describes it.
 */
export function replace<Made extends Method>(provider: Provider, member: Member, made: Made): Made {
  const { owner, name, method } = findMember(provider, member)
  const isAccessor = members[member] === 'accessor'
  const value = isAccessor ? { get: made } : { value: made, writable: true }
  Object.defineProperty(owner, name, { ...value, configurable: true })
  return method as Made
}

/** Stores further members with the objects of a class. */
export function storeAlso(
  provider: Provider,
  model: 'Session' | 'AuthorizationCode' | 'DeviceCode' | 'RefreshToken' | 'Interaction',
  more: readonly string[],
): void {
  type Names = (this: object) => readonly string[]
  const names: Names = replace(provider, `${model}.IN_PAYLOAD`, function () {
    return [...names.call(this), ...more]
  })
}

/**
 * Overrides an accessor of a class with a value, for one object. {@link members} lists the
 * accessor.
 */
export function answerWith(object: object, member: Member, value: unknown): void {
  Object.defineProperty(object, nameOf(member), { value, configurable: true })
}

/**
 * Checks every undocumented member of oidc-provider that the issuer needs. Called when the service
 * starts, so that an unsuitable version of oidc-provider fails at the start and not at a login.
 *
 * @throws Error for the first member that is missing, or is not as {@link members} describes it.
 */
export function checkMembers(): void {
  const all = Object.keys(members) as Member[]
  // The members of `Provider` come first, because its constructor uses them.
  for (const member of all.filter(isOfProvider)) findMember(undefined, member)
  const provider = new Provider('https://members.invalid', {
    // Without these, oidc-provider would write warnings about its defaults.
    jwks: { keys: [] },
    cookies: { keys: [] },
    adapter: () => ({}) as never,
    features: { devInteractions: { enabled: false } },
  })
  for (const member of all) findMember(provider, member)
}

/** The error for a part of oidc-provider that is not as expected. */
export function unknownProvider(finding: string): Error {
  const { version } = manifestOf('oidc-provider')
  const { 'oidc-provider': asked = '' } = manifestOf('..').dependencies ?? {}
  // In a checkout of the sources, the manifest does not name versions.
  const tested = asked === 'catalog:' ? 'as in the catalog of pnpm-workspace.yaml' : asked
  return new Error(
    `oidc-provider ${version} ${finding}. Without it, logins would be less safe, so the service does not start. Install oidc-provider ${tested}, which this release was tested with; an entry in "overrides" or in a lockfile may ask for another one.`,
  )
}

/** The manifest of an installed package, or of this package. */
function manifestOf(specifier: 'oidc-provider' | '..'): {
  version?: string
  dependencies?: Readonly<Record<string, string>>
} {
  // A bundle contains no packages.
  const file = import.meta.url ? findPackageJSON(specifier, import.meta.url) : undefined
  return file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'))
}

/** The object that has a member, the member's name, and its method or getter. */
function findMember(provider: Provider | undefined, member: Member) {
  const [className = '', ...path] = member.split('.')
  const name = nameOf(member)
  const model: { readonly prototype: object } | undefined = isOfProvider(member)
    ? Provider
    : provider?.[className as 'Session']
  const owner = path.length > 1 ? model?.prototype : model
  const found = owner && descriptorOf(owner, name)
  if (!owner || !found) throw unknownProvider(`has no ${member}`)
  const expected = members[member]
  if (expected === 'accessor') {
    if (!found.get) throw unknownProvider(`has a ${member} that is no accessor`)
    return { owner, name, method: found.get as Method }
  }
  const { value } = found
  if (typeof value !== 'function') throw unknownProvider(`has a ${member} that is no method`)
  if (value.length !== expected) {
    const counts = `${value.length} parameters in place of ${expected}`
    throw unknownProvider(`has a ${member} with ${counts}`)
  }
  return { owner, name, method: value as Method }
}

function isOfProvider(member: Member): boolean {
  return member.startsWith('Provider.')
}

function nameOf(member: Member): string {
  return member.slice(member.lastIndexOf('.') + 1)
}

/** The property of an object or of its prototypes. */
function descriptorOf(owner: object, name: string): PropertyDescriptor | undefined {
  for (let at: object | null = owner; at; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, name)
    if (found) return found
  }
  return undefined
}
