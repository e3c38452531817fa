import { REQUIRED_MEMBERS } from '../http/issuer-url.ts'
import type { ConfigFault } from '../shared/check-options.ts'
import type { AnyAuthOptions } from './options.ts'

/**
 * The discovery document, if the options contain all that a login needs in `metadata` and have no
 * `discoveryUrl`; otherwise `undefined`.
 *
 * @param issuer - The issuer as it is written in the options, with or without a slash at the end.
 */
export function documentOf(
  { metadata, discoveryUrl }: AnyAuthOptions,
  issuer: string,
): Readonly<Record<string, unknown>> | undefined {
  if (!metadata || discoveryUrl !== undefined) return undefined
  const isComplete = REQUIRED_MEMBERS.every((name) => metadata[name] !== undefined)
  return isComplete ? { issuer, ...metadata } : undefined
}

/**
 * The members of `metadata` that replace those of the fetched document. `issuer` is checked, not
 * replaced.
 */
export function replacements({ metadata = {} }: AnyAuthOptions): Readonly<Record<string, unknown>> {
  const { issuer: _checked, ...members } = metadata
  return members
}

/**
 * Checks that `metadata` and `discoveryUrl` fit the issuer, and adds faults to `faults`.
 *
 * @param issuer - The issuer; `undefined` if the option is a function.
 */
export function checkDiscovery(
  { metadata, discoveryUrl }: AnyAuthOptions,
  issuer: URL | undefined,
  faults: ConfigFault[],
): void {
  if (!issuer && discoveryUrl !== undefined) {
    const remedy = 'is the address for one issuer, but "issuer" is a function. Leave it out.'
    faults.push({ option: 'discoveryUrl', remedy })
  }
  const named = metadata?.issuer
  if (named === undefined || (issuer && URL.parse(String(named))?.href === issuer.href)) return
  const remedy = issuer
    ? `has another "issuer" than the option "issuer", which says who the provider is: ${issuer.href}`
    : 'must not contain "issuer": the function "issuer" says who the provider is.'
  faults.push({ option: 'metadata', remedy })
}
