import { Readable } from 'node:stream'
import {
  algorithms,
  type Encoding,
  encodings,
  formatOf,
  readSource,
  targets,
} from '@latchkey/management/import'
import {
  beginImport,
  checkImport,
  discardImport,
  firstRecords,
  getImport,
  type ImportChoices,
  importParts,
  isStoppable,
  stopImport,
  uploadImport,
} from '../../../domain/operators/import-jobs.ts'
import {
  rowOptions,
  rowReason,
  rowsOf,
  UPLOAD_UNREADABLE,
} from '../../../domain/operators/import-records.ts'
import { isStoppedForOperator } from '../../../domain/operators/jobs.ts'
import { needsSecondOperator } from '../../../domain/tenants/tenant-features.ts'
import type { ConflictReason } from '../../../domain/users/import-differences.ts'
import { ServiceError } from '../../../domain/writes/errors.ts'
import { knownReason, reason } from '../../../domain/writes/reasons/index.ts'
import type { ImportFault, ImportJob, ImportState, JobPart } from '../../../store/jobs.ts'
import { sheetLines } from '../../../wire/tables.ts'
import { importPath } from '../../audit/job-entries.ts'
import {
  type ConsoleRoute,
  type Result,
  redirectTo,
  type TenantCall,
  tenantForm,
  tenantPage,
} from '../../calls/call.ts'
import { noted } from '../../calls/exports.ts'
import { type Refused, refusedBy } from '../../forms/refused.ts'
import type { Upload } from '../../forms/uploads.ts'
import type { ImportForm } from '../../pages/index.ts'
import { asIs, type Sentence, type Text } from '../../texts/index.ts'

/** The seconds after which the page of a running import is loaded again. */
const REFRESH_SECONDS = 3

/** The number of records in the preview of a file. */
const SHOWN_RECORDS = 5

/** The number of bytes at the beginning of a file by which its format is detected. */
const SAMPLE_BYTES = 64 * 1024

export const importRoutes: readonly ConsoleRoute[] = [
  tenantPage(
    '/users/import',
    (call) => (call.query.has('job') ? showImport(call) : showUpload(call)),
    { needs: 'edit' },
  ),
  tenantForm('/users/import', upload),
  tenantForm('/users/import/check', check),
  // Needs a recent login: the file can contain users whose passwords the operator knows.
  tenantForm('/users/import/begin', begin, { isDangerous: true }),
  tenantForm('/users/import/discard', discard),
  // An import of the wrong file has to stop at once, so neither asks for a new login.
  tenantPage(
    '/users/import/stop',
    (call) => (call.query.has('job') ? askStop(call) : showUpload(call)),
    { needs: 'edit' },
  ),
  tenantForm('/users/import/stop', stop),
  // The rows contain addresses of people, so both downloads need the permission `export`.
  tenantForm('/users/import/export', exportFaults, { needs: 'export', isDangerous: true }),
  tenantForm('/users/import/conflicts', exportKept, { needs: 'export', isDangerous: true }),
]

const usersPath = (tenantId: string) => `/console/t/${tenantId}/users`

/**
 * The number of users who were created or existed already, and the number of rows that were
 * refused.
 */
export const countsOf = ({ progress }: ImportJob): { done: number; failed: number } => ({
  done: progress.created + progress.existing,
  failed: progress.refused,
})

async function showUpload({ tenant, form }: TenantCall, refused: Refused = {}): Promise<Result> {
  return {
    kind: 'page',
    name: 'import',
    title: 'Import users',
    data: {
      base: `${usersPath(tenant.id)}/import`,
      jobs: `/console/t/${tenant.id}/jobs`,
      encodings: Object.entries(encodingNames),
      sent: { encoding: form.get('encoding') ?? '', text: form.get('text') ?? '' },
    },
    commands: [`latchkey users import users.csv --dry-run --tenant ${tenant.id}`],
    ...refused,
  }
}

const encodingNames: Readonly<Record<Encoding, string>> = { utf8: 'UTF-8', latin1: 'Latin-1' }

async function upload(call: TenantCall): Promise<Result> {
  const { form, scope } = call
  const file = call.upload ?? pasted(form)
  if (!file) {
    return showUpload(call, { problem: 'Choose a file, or paste its lines.', status: 422 })
  }
  const encoding: Encoding = encodings.find((one) => one === form.get('encoding')) ?? 'utf8'
  try {
    return redirectTo(importPath(await uploadImport(scope, file.name, recordsOf(file, encoding))))
  } catch (error) {
    return showUpload(call, refusedBy(error))
  }
}

function pasted(form: URLSearchParams): Upload | undefined {
  const text = form.get('text') ?? ''
  if (text.trim() === '') return undefined
  return { name: 'pasted', bytes: Readable.from([Buffer.from(text)]) }
}

/** The records of an uploaded file, read while it arrives. */
async function* recordsOf({ name, bytes }: Upload, encoding: Encoding) {
  const chunks = bytes[Symbol.asyncIterator]()
  let sample = Buffer.alloc(0)
  let isEnd = false
  while (!isEnd && sample.length < SAMPLE_BYTES) {
    const { value, done } = await chunks.next()
    isEnd = done === true
    if (value) sample = Buffer.concat([sample, value])
  }
  async function* read() {
    yield sample
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  }
  yield* readSource({ name, format: formatOf(name, sample), encoding, read })
}

/**
 * Shows an import.
 *
 * @param choices - The choices of a refused form, which are shown in place of the stored ones.
 */
async function showImport(
  call: TenantCall,
  refused: Refused = {},
  choices?: ImportChoices,
): Promise<Result> {
  const { scope, query, form: sent, tenant } = call
  const stored = await getImport(scope, query.get('job') ?? sent.get('job') ?? '')
  const job = choices ? withChoices(stored, choices) : stored
  const { progress, state, work, total, createdAt } = job
  const isWaiting = state === 'waiting'
  const form = isWaiting ? await choiceForm(call, job) : undefined
  const found = isWaiting ? progress.problem : undefined
  const isUnreadable = progress.phase === 'unreadable' || (isWaiting && form === undefined)
  const users = usersPath(tenant.id)
  const base = `${users}/import`
  const { done, failed } = countsOf(job)
  return {
    kind: 'page',
    name: 'import-job',
    title: titles[state === 'done' || state === 'stopped' ? state : progress.phase],
    refreshSeconds: state === 'running' ? REFRESH_SECONDS : undefined,
    problem: isUnreadable
      ? UNREADABLE
      : found
        ? (knownReason(progress.because) ?? asIs(found))
        : undefined,
    data: {
      ...{ id: job.id, state, work: shownOf(work), total, createdAt, progress, done, failed, base },
      check: progress.check && {
        ...progress.check,
        firstFaults: progress.check.firstFaults.map(({ line, reason, because }) => ({
          line,
          reasons: reasonsOf(reason, because),
        })),
      },
      kept: progress.check?.update?.firstKept.map(({ reason, ...one }) => ({
        ...one,
        reason: keptWords[reason as ConflictReason],
      })),
      form,
      forgetsFirebase: choices?.firebase === null,
      isUnreadable,
      keepsPasswords: needsSecondOperator(tenant),
      isWithoutOperator: isStoppedForOperator(job),
      // A request to stop may come while the last part is imported.
      isStopped: job.work.isStopped === true && job.state !== 'done',
      stop: stopPath(job),
      code: UPLOAD_UNREADABLE,
      users,
      audit: `/console/t/${tenant.id}/audit?request=${job.id}`,
      faults: `${base}/export`,
    },
    commands: [`latchkey users import users.csv --dry-run --tenant ${tenant.id}`],
    ...refused,
  }
}

/**
 * An upload with choices that are not stored. Its check is left out, because it is of the stored
 * choices.
 */
function withChoices(job: ImportJob, { firebase: _, ...choices }: ImportChoices): ImportJob {
  if (job.state !== 'waiting') return job
  const progress = { ...job.progress, phase: 'mapping', check: undefined } as const
  return { ...job, work: { ...job.work, ...choices }, progress }
}

/**
 * The reasons why a row was refused. If another version has stored a reason that this one does not
 * know, the stored English text is used instead.
 */
function reasonsOf(stored: string, because: ImportFault['because'] = []): Text[] {
  const known = because.map(knownReason)
  const texts = known.filter((one) => one !== undefined)
  return texts.length > 0 && texts.length === known.length ? texts : [asIs(stored)]
}

/**
 * The choices of an import, for its page. The parameters of Firebase are secret: the page shows
 * only whether they are set.
 */
function shownOf({ firebase, ...work }: ImportJob['work']) {
  return { ...work, hasFirebase: firebase !== undefined }
}

const titles: Readonly<Record<ImportJob['progress']['phase'] | 'done' | 'stopped', Sentence>> = {
  mapping: 'Import users: the columns',
  checking: 'Import users: the file is checked',
  checked: 'Import users: what would happen',
  importing: 'Import users: under way',
  unreadable: 'Import users: stopped',
  stopped: 'Import users: stopped',
  done: 'Import users: done',
}

const UNREADABLE: Sentence =
  'The uploaded file cannot be decrypted any more, because its master key was removed. Upload it again: users who are there already stay as they are.'

/**
 * The form that maps the columns of the file, with a preview of its first rows. `undefined` if the
 * file cannot be decrypted.
 */
async function choiceForm({ scope }: TenantCall, job: ImportJob): Promise<ImportForm | undefined> {
  const first = await firstRecords(scope, job)
  if (!first) return undefined
  const records = first.slice(0, SHOWN_RECORDS)
  const columns = [...new Set(records.flatMap(({ members }) => [...members.keys()]))].slice(0, 200)
  const options = rowOptions(scope.context, job)
  const work = { ...job.work, withoutPasswords: false, firebase: undefined }
  const { mapping } = rowOptions(scope.context, { id: job.id, work })
  return {
    columns,
    states: statesToChoose(job),
    others: columns
      .map((column) => ({ column, isKept: job.work.columns[`metadata.${column}`] === column }))
      .filter(({ column, isKept }) => isKept || mapping(column) === undefined),
    chosen: targets.map((target) => ({
      target,
      label: targetWords[target] ?? 'Other',
      column: columns.find((column) => mapping(column) === target) ?? '',
    })),
    algorithms,
    rows: rowsOf(0, records, options).map(({ line, user, password, legacy, faults, oldId }) => ({
      ...{ line, oldId, user, password: password?.alg ?? legacy?.scheme },
      faults: faults.map(rowReason),
      others: [
        ...Object.keys(user.metadata ?? {}).map((key) => `metadata.${key}`),
        ...Object.keys(user.profile).filter(
          (key) => !['email', 'name', 'email_verified'].includes(key),
        ),
      ],
    })),
  }
}

/**
 * The values that may mark blocked users: first those whose meaning was chosen, then the others.
 * Each has its possible meanings for the form.
 */
function statesToChoose({ work, progress }: ImportJob) {
  const chosen = work.states ?? []
  const isSame = (one: StateOf, other: StateOf) =>
    one.column === other.column && one.value === other.value
  const open = (progress.unclear ?? []).filter((one) => !chosen.some((two) => isSame(one, two)))
  return [...chosen, ...open].map((state: StateOf & Partial<ImportState>) => ({
    ...state,
    meanings: (['blocks', 'allows'] as const).map((meaning) => ({
      label: meaningWords[meaning],
      isChosen: state.meaning === meaning,
      field: JSON.stringify({ column: state.column, value: state.value, meaning }),
    })),
  }))
}

type StateOf = Omit<ImportState, 'meaning'>

const meaningWords: Readonly<Record<ImportState['meaning'], Sentence>> = {
  blocks: 'must not log in',
  allows: 'may log in',
}

/**
 * Reads the chosen meanings from a form. The options of {@link statesToChoose} have them as JSON. A
 * meaning of all other values is that of one value if a text field names it.
 *
 * @throws ServiceError `invalid_request` if they cannot be read.
 */
function statesIn(form: URLSearchParams): ImportState[] {
  const given = [...form].filter(([name, text]) => name.startsWith('state_') && text !== '')
  try {
    return given.slice(0, 500).map(([name, text]) => {
      const { column, value, meaning } = JSON.parse(text)
      const named = form.get(name.replace('state_', 'value_'))?.trim().slice(0, 200)
      return {
        column: String(column),
        value: value === null ? named || null : String(value),
        meaning: meaning === 'allows' ? 'allows' : 'blocks',
      }
    })
  } catch {
    throw new ServiceError('invalid_request', reason('form_damaged'))
  }
}

/** The reasons why an update leaves a member of a user unchanged, in words. */
const keptWords: Readonly<Record<ConflictReason, Sentence>> = {
  changed_here: 'was changed here since',
  enabled_here: 'was enabled here by an operator',
  disabled_here: 'was disabled here by an operator',
  logged_in_here: 'the user has logged in here since',
  address_proved_here: 'the user has confirmed the address here',
  address_taken: 'another user has the address',
  deleted_here: 'the user was deleted here',
  signed_up_here: 'the user has signed up here',
  history_gone: 'the audit log no longer tells what was changed here',
  needs_second_operator:
    'one operator alone can set no password; the user can ask for a new one at the login',
}

/** The labels of the members of a user to which columns can be mapped. */
const targetWords: Readonly<Record<string, Sentence>> = {
  id: 'Id in the old table',
  email: 'Email address',
  email_verified: 'Address is verified',
  verified_at: 'Verified at',
  disabled: 'Disabled',
  enabled: 'Enabled',
  'profile.name': 'Name',
  'profile.family_name': 'Last name',
  'profile.given_name': 'First name',
  password: 'Password in plain text',
  hash: 'Hash of the password',
  alg: 'Algorithm of the hash',
}

function choicesIn(form: URLSearchParams): ImportChoices {
  const kept = [...form].flatMap(([name, column]): [string, string][] =>
    name.startsWith('keep_') ? [[`metadata.${column.slice(0, 100)}`, column.slice(0, 200)]] : [],
  )
  const columns = targets.flatMap((target) => {
    const column = form.get(`to_${target}`)
    return column === null ? [] : [[target, column.slice(0, 200)]]
  })
  return {
    // A column that is chosen for a member is not kept as metadata: its last target counts.
    columns: Object.fromEntries([...kept, ...columns]),
    states: statesIn(form),
    algorithm: algorithms.find((one) => one === form.get('algorithm')) ?? '',
    withoutPasswords: form.get('passwords') === 'leave-out',
    isUpdate: form.get('present') === 'update',
    firebase: form.get('firebase_forget') === null ? (form.get('firebase') ?? '').trim() : null,
  }
}

async function check(call: TenantCall): Promise<Result> {
  const { scope, form } = call
  const job = await getImport(scope, form.get('job') ?? '')
  let choices: ImportChoices | undefined
  try {
    choices = choicesIn(form)
    return redirectTo(importPath(await checkImport(scope, job, choices)))
  } catch (error) {
    return showImport(call, refusedBy(error), choices)
  }
}

async function begin(call: TenantCall): Promise<Result> {
  const { scope, form } = call
  const job = await getImport(scope, form.get('job') ?? '')
  // The operator has to have seen the effects of the choices that are stored now.
  const { phase, fence } = job.progress
  if (phase === 'checked' && Number(form.get('check')) !== fence) {
    return showImport(call, { problem: CHECKED_AGAIN, status: 409 })
  }
  return redirectTo(importPath(await beginImport(scope, job)))
}

const CHECKED_AGAIN: Sentence =
  'Another person chose differently and checked the file again. Nothing was imported: these are the new numbers.'

async function discard({ scope, form, tenant }: TenantCall): Promise<Result> {
  await discardImport(scope, form.get('job') ?? '')
  return redirectTo(`${usersPath(tenant.id)}/import`, 'discarded')
}

const stopPath = ({ tenantId, id }: ImportJob) =>
  `${usersPath(tenantId)}/import/stop?job=${encodeURIComponent(id)}`

/** Asks for a confirmation. If the import no longer runs, leads to its page. */
async function askStop({ scope, query, tenant }: TenantCall): Promise<Result> {
  const job = await getImport(scope, query.get('job') ?? '')
  if (!isStoppable(job)) return redirectTo(importPath(job))
  const { fileName } = job.work
  return {
    kind: 'page',
    name: 'destructive-action',
    title: 'Stop an import',
    data: {
      name: fileName === 'pasted' ? 'Pasted lines' : asIs(fileName),
      id: job.id,
      effects: [
        'It stops after the rows under way, at most 100 of them.',
        'Users who are imported already stay.',
        'The upload is deleted. To go on later, upload the file again.',
      ],
      button: 'Stop the import',
      action: stopPath(job),
      back: importPath(job),
      sent: '',
      keptName: undefined,
      entered: undefined,
    },
    commands: [`latchkey audit list --action job. --tenant ${tenant.id}`],
  }
}

async function stop(call: TenantCall): Promise<Result> {
  try {
    return redirectTo(importPath(await stopImport(call.scope, call.query.get('job') ?? '')))
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'conflict') throw error
    return showImport(call, { ...refusedBy(error), status: 409 })
  }
}

/** Downloads the members that an update leaves unchanged, as CSV with one line for each member. */
function exportKept(call: TenantCall): Promise<Result> {
  const columns = ['line', 'email', 'member', 'reason']
  return exportParts(call, 'conflicts', columns, ({ kept = [] }) => kept)
}

/** Downloads the rows that are not imported, as CSV. */
function exportFaults(call: TenantCall): Promise<Result> {
  return exportParts(call, 'refused', ['line', 'email', 'reason'], ({ faults }) => faults)
}

/**
 * Downloads the results of an import as CSV, part by part.
 *
 * @param name - The name of the results, for the name of the file.
 * @param itemsOf - Returns the lines of one part.
 */
async function exportParts(
  call: TenantCall,
  name: string,
  columns: readonly string[],
  itemsOf: (result: JobPart['result']) => readonly object[],
): Promise<Result> {
  const { scope, form, tenant } = call
  const job = await getImport(scope, form.get('job') ?? '')
  const table = {
    kind: 'lines',
    fileName: `import-${tenant.id}-${name}.csv`,
    lines: sheetLines([...columns]),
    async read(after: string | undefined) {
      const parts = await importParts(scope, job, Number(after ?? 0))
      const last = parts.at(-1)
      return {
        items: parts.flatMap(({ result }) => itemsOf(result)),
        next: last && String(last.n + 1),
      }
    },
  } as const
  return noted(call, 'user', { job: job.id, format: 'csv' }, table)
}
