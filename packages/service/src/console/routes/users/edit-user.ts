import { needsSecondOperator } from '../../../domain/tenants/tenant-features.ts'
import { editedUser, editUser, getUser, type UserEdit } from '../../../domain/users/users.ts'
import { ServiceError } from '../../../domain/writes/errors.ts'
import type { User } from '../../../store/records.ts'
import {
  type ConsoleRoute,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../../calls/call.ts'
import {
  CHANGED_MEANWHILE,
  metadataOf,
  metadataRows,
  sentMetadata,
} from '../../forms/form-fields.ts'
import { type Refused, refusedBy } from '../../forms/refused.ts'
import type { UserDraft, UserField } from '../../pages/index.ts'
import { message, type Sentence, type Text } from '../../texts/index.ts'

/**
 * The routes of the form of a user. They need a recent login, because a new address could take the
 * account over.
 */
export const editUserRoutes: readonly ConsoleRoute[] = [
  tenantPage('/users/:user/edit', showForm, { needs: 'edit', isDangerous: true }),
  tenantForm('/users/:user/edit', preview, { isDangerous: true }),
  tenantForm('/users/:user/edit/save', save, { isDangerous: true }),
]

const claims = ['name', 'given_name', 'family_name'] as const

const labels = {
  email: 'Address',
  name: 'Name',
  given_name: 'First name',
  family_name: 'Last name',
} as const satisfies Record<UserField, Sentence>

const pathOf = ({ ids }: TenantCall) => `/console/t/${ids.tenant}/users/${ids.user}`

async function showForm(
  call: TenantCall,
  more: Refused & { draft?: UserDraft } = {},
): Promise<Result> {
  const { ids, scope } = call
  const user = await getUser(scope, ids.user ?? '')
  const { draft = storedDraft(user), ...outcome } = more
  return {
    kind: 'page',
    name: 'edit-user',
    title: 'Edit a user',
    data: { draft, labels, base: pathOf(call), readAt: user.updatedAt },
    commands: [
      `latchkey users update ${user.id} --tenant ${scope.tenantId} --set profile.name="Ada Lovelace"`,
    ],
    ...outcome,
  }
}

/** Shows the effects of the form, and who is told by mail, before it is saved. */
async function preview(call: TenantCall): Promise<Result> {
  const { scope, form, ids, tenant } = call
  const draft = sentDraft(form)
  if (form.has('edit')) return showForm(call, { draft })
  return answering(call, draft, async () => {
    const user = await getUser(scope, ids.user ?? '')
    const after = editedUser(scope, user, editOf(draft, user), Number(form.get('read_at')))
    const differences = differencesOf(storedDraft(user), storedDraft(after))
    if (differences.length === 0) return redirectTo(pathOf(call), 'unchanged')
    return {
      kind: 'page',
      name: 'edit-user-preview',
      title: 'This changes',
      data: {
        differences,
        draft,
        isMoved: after.emailKey !== user.emailKey,
        isTold: user.verifiedAt !== undefined,
        isHeld: user.verifiedAt !== undefined && needsSecondOperator(tenant),
        before: user.email,
        after: after.email,
        base: pathOf(call),
        readAt: form.get('read_at') ?? '',
      },
      commands: [],
    }
  })
}

async function save(call: TenantCall): Promise<Result> {
  const { scope, form, ids, support, tenant } = call
  const draft = sentDraft(form)
  return answering(call, draft, async () => {
    const { user, before, standing } = await editUser(
      scope,
      ids.user ?? '',
      (last) => editOf(draft, last),
      Number(form.get('read_at')),
      needsSecondOperator(tenant),
    )
    if (user.emailKey !== before.emailKey) await support.tellOfMove(scope, before, user, standing)
    return redirectTo(pathOf(call), user.updatedAt === before.updatedAt ? 'unchanged' : 'saved')
  })
}

/**
 * Runs `work`. If the change of the user is refused, shows the form again with the submitted
 * values.
 */
async function answering(
  call: TenantCall,
  draft: UserDraft,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const isStale = error instanceof ServiceError && error.code === 'conflict'
    const refused = isStale ? { problem: CHANGED_MEANWHILE, status: 409 } : refusedBy(error)
    return showForm(call, { draft, ...refused })
  }
}

function storedDraft({ email, profile, metadata }: User): UserDraft {
  const names = claims.map((name) => [name, profile[name] ?? ''])
  return { fields: { email, ...Object.fromEntries(names) }, metadata: metadataRows(metadata) }
}

function sentDraft(form: URLSearchParams): UserDraft {
  const entries = Object.keys(labels).map((name) => [name, (form.get(name) ?? '').trim()])
  return { fields: Object.fromEntries(entries), metadata: sentMetadata(form) }
}

function editOf({ fields: { email, ...names }, metadata }: UserDraft, stored: User): UserEdit {
  return { email, claims: names, metadata: metadataOf(metadata, stored.metadata) }
}

function differencesOf(before: UserDraft, after: UserDraft) {
  const fields = (Object.keys(labels) as UserField[]).map((name) => ({
    label: labels[name] as Text,
    before: before.fields[name],
    after: after.fields[name],
  }))
  const valueIn = ({ metadata }: UserDraft, key: string) =>
    metadata.find((row) => row.key === key)?.value ?? ''
  const keys = new Set([...before.metadata, ...after.metadata].map(({ key }) => key))
  const metadata = [...keys].map((key) => ({
    label: message('Metadata {key}', { key }),
    before: valueIn(before, key),
    after: valueIn(after, key),
  }))
  return [...fields, ...metadata].filter((one) => one.before !== one.after)
}
