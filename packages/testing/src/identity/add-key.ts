import { ConfigError } from '@latchkey/core'
import { checkOptions, flag, type Rules } from '@latchkey/core/internal'
import {
  createVisitor,
  hiddenFields,
  keyForm,
  type LoginPlace,
  passPages,
  questionOn,
  refused,
} from './log-in.ts'
import type { Call } from './management.ts'
import type { TestUser } from './users.ts'
import { createVirtualKey, type VirtualKey, type VirtualKeyOptions } from './virtual-key.ts'

const RULES: Rules<VirtualKeyOptions> = { verifiesUser: flag, isSyncable: flag }

/** See `Identity.virtualKey`. */
export async function addVirtualKey(
  place: LoginPlace,
  call: Call,
  tenantId: string,
  user: TestUser,
  options: VirtualKeyOptions,
): Promise<VirtualKey> {
  const { faults } = checkOptions(options, RULES)
  if (faults.length > 0) throw new ConfigError(faults, 'virtualKey() cannot make this key:')
  const path = `/v1/tenants/${tenantId}`
  const tenant = await call(path)
  await call(path, { ...tenant, settings: { ...tenant.settings, allow_hardware: true } })

  const key = createVirtualKey(options)
  const visitor = createVisitor(place)
  const security = await passPages(visitor, `${place.issuer}/account/security`, user)
  const page = await visitor.open(`${place.issuer}/account/security/add?kind=hardware`)
  const form = page.kind === 'page' ? keyForm(page.html, 'create') : undefined
  if (page.kind === 'left' || !form) {
    throw refused(security.kind === 'page' ? security.html : '', user)
  }
  const use = key.verifiesUser ? 'passkey' : 'second'
  const credential = key.create(questionOn(form.html, use), place.issuer)
  const fields = { ...hiddenFields(form.html), credential, use, name: '' }
  await visitor.open(new URL(form.action, page.url).href, new URLSearchParams(fields))
  return key
}
