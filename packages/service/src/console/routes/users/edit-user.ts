import { moveJob } from '../../../domain/operators/new-job.ts'
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
  type Filled,
  filledBefore,
  filledFrom,
  isStale,
  mergedForm,
} from '../../forms/concurrent-edits.ts'
import { metadataOf, metadataRows, sentMetadata } from '../../forms/form-fields.ts'
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

/** A form that is shown again. */
interface Shown extends Refused {
  readonly draft?: UserDraft
  /** The stored fields that differ from the draft, if another person has changed the user. */
  readonly theirs?: Readonly<Record<string, string>>
  /** The filling of a form that was merged with the stored values. */
  readonly filled?: Filled
}

/**
 * Shows the form. A submitted draft keeps its `read_at`, so that saving it detects a change by
 * another person, unless it was merged with that change.
 */
async function showForm(call: TenantCall, shown: Shown = {}): Promise<Result> {
  const { ids, scope, form } = call
  const user = await getUser(scope, ids.user ?? '')
  const stored = storedDraft(user)
  const { draft = stored, theirs = {}, filled, ...outcome } = shown
  const now = shown.draft ? filledBefore(form) : filledFrom(user, stored)
  return {
    kind: 'page',
    name: 'edit-user',
    title: 'Edit a user',
    data: {
      ...{ draft, theirs, labels, base: pathOf(call) },
      ...(filled ?? now),
    },
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
  const user = await getUser(scope, ids.user ?? '')
  if (form.has('edit')) return showForm(call, { draft })
  if (isStale(form, user)) return showMeanwhile(call, draft)
  return answering(call, draft, async () => {
    const after = editedUser(scope, user, editOf(draft, user), user.updatedAt)
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
        filledWith: form.get('base') ?? '',
      },
      commands: [],
    }
  })
}

async function save(call: TenantCall): Promise<Result> {
  const { scope, form, ids, tenant } = call
  const draft = sentDraft(form)
  return answering(call, draft, async () => {
    const { user, before } = await editUser(
      scope,
      ids.user ?? '',
      (last) => editOf(draft, last),
      Number(form.get('read_at')),
      needsSecondOperator(tenant),
      (move) => moveJob(scope, move),
    )
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
    if (error instanceof ServiceError && error.code === 'conflict')
      return showMeanwhile(call, draft)
    return showForm(call, { draft, ...refusedBy(error) })
  }
}

/**
 * Shows the form again after another person has changed the user, with the submitted and the stored
 * values.
 */
async function showMeanwhile(call: TenantCall, sent: UserDraft): Promise<Result> {
  const user = await getUser(call.scope, call.ids.user ?? '')
  const { kept, shown } = mergedForm(call.form, sent, user, storedDraft(user))
  return showForm(call, { draft: kept, ...shown })
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
