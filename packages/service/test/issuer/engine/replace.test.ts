import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createIdentityService } from '@latchkey/service'
import { Provider } from 'oidc-provider'
import { afterEach, expect, test, vi } from 'vitest'
import { root } from '../../../../../scripts/packages.ts'
import {
  acceptSecondSecret,
  interceptLogoutTokens,
  nameSessions,
  refusePushedFragments,
} from '../../../src/issuer/engine/client.ts'
import { judgeBeforeUse } from '../../../src/issuer/engine/code.ts'
import { addClaims, keepAuthTimeWhole } from '../../../src/issuer/engine/id-token.ts'
import { bindInteractions } from '../../../src/issuer/engine/interaction.ts'
import { carryLoginFacts } from '../../../src/issuer/engine/login-facts.ts'
import { type Member, members } from '../../../src/issuer/engine/members.ts'
import { admitPushes } from '../../../src/issuer/engine/push.ts'
import { nameRefreshTokens } from '../../../src/issuer/engine/refresh-token.ts'
import { judgeProofs, useOnce } from '../../../src/issuer/engine/replay.ts'
import { allowOfflineAccess } from '../../../src/issuer/engine/request.ts'
import { keepClients } from '../../../src/issuer/engine/session.ts'

const undo: (() => void)[] = []
afterEach(() => {
  for (const one of undo.splice(0)) one()
  vi.restoreAllMocks()
})

const all = Object.keys(members) as Member[]

test.for(all)('the service refuses to start where oidc-provider has no %s', async (member) => {
  withMember(member, undefined)
  await expect(createIdentityService()).rejects.toThrow(
    new RegExp(`^oidc-provider \\d+\\.\\d+\\.\\d+ has no ${member}\\. .* Install oidc-provider `),
  )
})

test.for(all)('the service refuses to start where %s is of another kind', async (member) => {
  withMember(member, { value: 'text', configurable: true })
  const kind = members[member] === 'accessor' ? 'accessor' : 'method'
  await expect(createIdentityService()).rejects.toThrow(`has a ${member} that is no ${kind}.`)
})

const methods = all.filter((member) => members[member] !== 'accessor')

test.for(methods)(
  'the service refuses to start where %s takes another parameter',
  async (member) => {
    const value = (): void => undefined
    const length = Number(members[member]) + 1
    Object.defineProperty(value, 'length', { value: length })
    withMember(member, { value, configurable: true })
    await expect(createIdentityService()).rejects.toThrow(
      `has a ${member} with ${length} parameters in place of ${length - 1}.`,
    )
  },
)

test('the version of oidc-provider that a run names is the one that is tested', async () => {
  const folder =
    process.env.LATCHKEY_OIDC_PROVIDER ?? `${root}/packages/service/node_modules/oidc-provider`
  const tested = await import(`${folder}/lib/index.js`)
  expect(Provider).toBe(tested.Provider)
})

test('the service starts with the version of oidc-provider that is installed', async () => {
  await using service = await createIdentityService()
  expect(service.admin).toBeDefined()
})

const changes = {
  acceptSecondSecret,
  addClaims,
  admitPushes,
  allowOfflineAccess,
  bindInteractions,
  carryLoginFacts,
  interceptLogoutTokens,
  judgeBeforeUse,
  judgeProofs,
  keepAuthTimeWhole,
  keepClients,
  nameRefreshTokens,
  nameSessions,
  refusePushedFragments,
  useOnce,
}

test.for(Object.entries(changes))('%s refuses classes that lack its members', ([, change]) => {
  const classes = all.map((member) => [member.split('.')[0], { prototype: {} }])
  const provider = Object.fromEntries(classes)
  expect(() => change(provider as never, undefined as never, undefined as never)).toThrow(
    /^oidc-provider \S+ has /,
  )
})

test('a member of oidc-provider is replaced in one file alone, which looks for it first', () => {
  const folder = path.join(root, 'packages/service/src')
  const found = globSync('**/*.ts', { cwd: folder })
    .filter((file) => file !== 'issuer/engine/replace.ts')
    .flatMap((file) => {
      const lines = readFileSync(path.join(folder, file), 'utf8').split('\n')
      return lines.filter((line) => ASSIGNMENT.test(line)).map((line) => `${file}: ${line.trim()}`)
    })
  expect(found).toEqual([])
  for (const line of [
    'const { prototype } = provider.Client',
    'prototype.payload = async function () {',
    'Client.prototype.includeSid = () => true',
    'model.find = async function (id) {',
    'provider.RefreshToken.find = async (...args) => {',
    'RefreshToken.find = async (...args) => {',
    "Object.defineProperty(model, 'IN_PAYLOAD', {",
  ]) {
    expect(line).toMatch(ASSIGNMENT)
  }
})

/** A change of a class that is not ours, or its first half. */
const ASSIGNMENT =
  /\{[^}]*\bprototype\b[^}]*\} =|\bprototype(\.\w+|\[.+\]) =(?!=)|\b(model|[A-Z]\w+)\.\w+ =(?!=)|\b(defineProperty|defineProperties|setPrototypeOf)\(/

/** Replaces or removes a member of oidc-provider, until the end of the test. */
function withMember(member: Member, replacement: PropertyDescriptor | undefined): void {
  const [className = '', ...names] = member.split('.')
  const name = names.at(-1) ?? ''
  const isStatic = names.length === 1
  if (className === 'Provider') {
    changeInPlace(isStatic ? Provider : Provider.prototype, name, replacement)
    return
  }
  const { get } = Object.getOwnPropertyDescriptor(Provider.prototype, className) ?? {}
  vi.spyOn(Provider.prototype as never, className as never, 'get').mockImplementation(function (
    this: Provider,
  ) {
    const model = get?.call(this)
    if (isStatic) return flattened(model, name, replacement)
    const prototype = { value: flattened(model.prototype, name, replacement) }
    return flattened(model, 'prototype', prototype)
  } as never)
}

/** An object with all members of another one, also those that it inherits, but one. */
function flattened(object: object, name: string, other: PropertyDescriptor | undefined): object {
  const members: PropertyDescriptorMap = {}
  for (let at = object; at; at = Object.getPrototypeOf(at)) {
    Object.assign(members, { ...Object.getOwnPropertyDescriptors(at), ...members })
  }
  const { [name]: _, ...others } = members
  return Object.create(null, { ...others, ...(other && { [name]: other }) })
}

/** Changes a class that all providers share, where the member is. */
function changeInPlace(owner: object, name: string, other: PropertyDescriptor | undefined): void {
  let at = owner
  while (!Object.hasOwn(at, name)) at = Object.getPrototypeOf(at)
  const found = Object.getOwnPropertyDescriptor(at, name) as PropertyDescriptor
  undo.push(() => Object.defineProperty(at, name, found))
  if (other) Object.defineProperty(at, name, other)
  else Reflect.deleteProperty(at, name)
}
