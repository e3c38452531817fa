import { isDeepStrictEqual } from 'node:util'

/** Members of records that no caller decides about. */
const internal = new Set([
  'updatedAt',
  'sessionsValidAfter',
  'emailKey',
  'state',
  'rev',
  'earlierSecret',
])

/** Names of members in the API, where they differ by more than their case. */
const names: Record<string, string> = {
  email: 'profile.email',
  verifiedAt: 'profile.email_verified',
  sealedSecret: 'secret',
}

/** Members whose own members have names of the customer. */
const named = new Set(['metadata', 'profile'])

/**
 * The names of the members that differ, as the API calls them, such as `settings.allow_signups` and
 * `metadata.plan`. Values are left out: the audit log is read by more people than the objects are.
 */
export function changedFields(before: object, after: object): string[] {
  const fields: string[] = []
  for (const [name, values] of differing(before, after)) {
    if (internal.has(name)) continue
    const [last, next] = values
    if (name === 'settings' || named.has(name)) {
      for (const [member] of differing(last as object, next as object)) {
        fields.push(`${name}.${named.has(name) ? member : wireName(member)}`)
      }
    } else fields.push(names[name] ?? wireName(name))
  }
  return fields.sort()
}

function differing(before: object, after: object): [string, [unknown, unknown]][] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((name): [string, [unknown, unknown]] => [
      name,
      [before[name as keyof object], after[name as keyof object]],
    ])
    .filter(([, [last, next]]) => !isDeepStrictEqual(last, next))
}

function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
