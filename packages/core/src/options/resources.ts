import { type ResolvedResource, type ResourceOptions, resourcesAt } from '../http/resources.ts'
import {
  type ConfigFault,
  checkOptions,
  group,
  type Rule,
  rule,
  text,
  textRecord,
} from '../shared/check-options.ts'

const MAX_RESOURCES = 20
const MAX_SCOPES = 100
const MAX_PATH_BYTES = 200
const MAX_NAME_BYTES = 100
const MAX_SENTENCE_BYTES = 300
const EXAMPLE = `{ path: '/mcp', scopes: { 'notes:read': 'Read your notes' } }`

const address = rule('an https:// URL', (value) => {
  return typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '')
})

const MEMBERS = group<ResourceOptions>({
  path: rule('a path such as "/mcp"', (value) => typeof value === 'string' && value !== ''),
  name: text,
  scopes: {
    ...textRecord,
    mustBe: `an object with a sentence for each scope, such as { 'notes:read': 'Read your notes' }`,
  },
  documentation: address,
  policy: address,
}).members as Readonly<Record<string, Rule>>

const SETTINGS = {
  equivalents: {
    url: 'It is "path" here; the origin is that of "baseUrl".',
    resource: 'It is "path" here; the origin is that of "baseUrl".',
    audience: 'Leave it out: it is "baseUrl" and "path". Other names go to "bearer.audience".',
    title: 'name',
    scope: 'scopes',
    documentationUrl: 'documentation',
    policyUrl: 'policy',
  },
  example: EXAMPLE,
}

/**
 * Checks the option `resources`, and resolves its paths at `baseUrl`. Adds the faults to `faults`.
 */
export function resolveResources(
  given: readonly unknown[] = [],
  baseUrl: URL,
  faults: ConfigFault[],
): readonly ResolvedResource[] {
  if (given.length > MAX_RESOURCES) {
    const remedy = `lists ${given.length} resources, and ${MAX_RESOURCES} is the most. List their common paths.`
    faults.push({ option: 'resources', remedy })
    return []
  }
  const known = new Map<string, string>()
  const resources = given.flatMap((one, index): ResourceOptions[] => {
    const option = `resources[${index}]`
    const checked = checkOptions<ResourceOptions>(one, MEMBERS, SETTINGS, option, `${option}.`)
    const refuse = (member: string, remedy: string): void =>
      void checked.faults.push({ option: `${option}.${member}`, remedy })
    const { path, name = '', scopes = {} } = checked.good
    if (path !== undefined) {
      const fault = pathFault(path)
      if (fault) refuse('path', fault)
      const other = known.get(path.toLowerCase())
      if (other) refuse('path', `is ${JSON.stringify(path)}, as "${other}.path" is. List it once.`)
      known.set(path.toLowerCase(), option)
    } else if (checked.faults.length === 0) refuse('path', 'is not set. Name it, such as "/mcp".')
    checkText(name, MAX_NAME_BYTES, (remedy) => refuse('name', remedy))
    checkScopes(scopes, (remedy) => refuse('scopes', remedy))
    faults.push(...checked.faults)
    return checked.faults.length > 0 ? [] : [checked.good]
  })
  return resourcesAt(resources, baseUrl)
}

function pathFault(path: string): string | undefined {
  const found = `is ${JSON.stringify(path.slice(0, MAX_PATH_BYTES))}, and must`
  if (bytesOf(path) > MAX_PATH_BYTES)
    return `has ${bytesOf(path)} bytes, and ${MAX_PATH_BYTES} is the most.`
  if (/^https?:/i.test(path)) {
    const right = URL.parse(path)?.pathname ?? '/mcp'
    return `${found} be a path relative to "baseUrl". Set it to ${JSON.stringify(right)}.`
  }
  if (/[?#]/.test(path)) return `${found} have no query and no fragment.`
  if (!path.startsWith('/')) return `${found} begin with a slash. Set it to "/${path}".`
  if (!/^[\w\-./~]+$/.test(path)) {
    return `${found} consist of letters, digits, "-", "_", ".", "~" and "/", without "%" and patterns.`
  }
  if (/\/\/|\/\.{1,2}(\/|$)/.test(path)) return `${found} have no empty part, no "." and no "..".`
  if (path !== '/' && path.endsWith('/')) {
    return `${found} not end with a slash, which would be another resource. Set it to "${path.replace(/\/+$/, '')}".`
  }
  if (/^\/\.well-known(\/|$)/i.test(path)) return `${found} not be below "/.well-known".`
  return undefined
}

function checkScopes(
  scopes: Readonly<Record<string, string>>,
  refuse: (remedy: string) => void,
): void {
  const all = Object.entries(scopes)
  if (all.length > MAX_SCOPES) {
    refuse(`has ${all.length} scopes, and ${MAX_SCOPES} is the most.`)
  }
  for (const [scope, sentence] of all.slice(0, MAX_SCOPES)) {
    const shown = JSON.stringify(scope.slice(0, MAX_NAME_BYTES))
    if (scope === 'offline_access') {
      refuse(`has "offline_access", which clients ask the provider for. Leave it out.`)
    } else if (!isScope(scope) || bytesOf(scope) > MAX_NAME_BYTES) {
      refuse(
        `has ${shown}, which is no scope: at most ${MAX_NAME_BYTES} ASCII characters without space, quote and backslash.`,
      )
    }
    checkText(sentence, MAX_SENTENCE_BYTES, (remedy) => refuse(`of ${shown} ${remedy}`))
  }
}

function checkText(value: string, most: number, refuse: (remedy: string) => void): void {
  const found = bytesOf(value)
  if (found > most) refuse(`has ${found} bytes, and ${most} is the most.`)
  else if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value)) {
    refuse('has a control character, a line break or a direction mark. Leave it out.')
  }
}

/**
 * Whether a value has the form of a scope.
 *
 * @see RFC 6749 §3.3
 */
export function isScope(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value)
}

function bytesOf(value: string): number {
  return new TextEncoder().encode(value).length
}
