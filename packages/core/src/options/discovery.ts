import { REQUIRED_MEMBERS } from '../http/issuer-url.ts'
import type { ConfigFault } from '../shared/check-options.ts'
import type { AnyAuthOptions } from './options.ts'

/**
 * The discovery document of the options, where `metadata` has all that a login needs and no
 * `discoveryUrl` says where more is.
 *
 * @param issuer - As the options spell it: with a slash at the end, or without one.
 */
export function documentOf(
  { metadata, discoveryUrl }: AnyAuthOptions,
  issuer: string,
): Readonly<Record<string, unknown>> | undefined {
  if (!metadata || discoveryUrl !== undefined) return undefined
  const isComplete = REQUIRED_MEMBERS.every((name) => metadata[name] !== undefined)
  return isComplete ? { issuer, ...metadata } : undefined
}

/** The members that replace those of the document. Its issuer is checked, not replaced. */
export function replacements({ metadata = {} }: AnyAuthOptions): Readonly<Record<string, unknown>> {
  const { issuer: _checked, ...members } = metadata
  return members
}

/** Checks the options about discovery against the issuer; `undefined` where a function names it. */
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
