import { ApiError, ConflictError, isAboutCaller, ManagementError } from '../errors.ts'
import type { Send } from '../request.ts'
import type {
  ImportChangeResult,
  ImportResult,
  LoginObstacle,
  User,
  UserDataObject,
  UserImport,
  UserImportChange,
  UserInput,
} from '../types.ts'
import { zeros } from '../zero-values.ts'
import { createBatch } from './batch.ts'
import { type CreateOptions, recovery } from './create.ts'
import { createCredentials } from './credentials.ts'
import { readFiltered } from './filtered.ts'
import { createAccess, type Deletable, type Readable, segment } from './resource.ts'
import { createUserImporter, type UserImporter } from './user-importer.ts'
import { createUserUpdater, updateInBatches } from './user-updater.ts'

/** A filter of users. Missing members do not filter. */
export interface UserSearch {
  /**
   * The beginning of an email address, a name, a family name, an id (`usr_…`) or a domain
   * (`@example.com`), case-insensitive.
   */
  search?: string | undefined
  disabled?: boolean | undefined
  verified?: boolean | undefined
  /**
   * The method of the last login, or its first factor if there were two. `code` is a code by mail,
   * of an app or for recovery. `never` finds users who have never logged in.
   */
  last_login_by?: 'password' | 'passkey' | 'social' | 'code' | 'never' | undefined
  /**
   * A day (UTC), such as `2026-12-31`. Finds users who were created before it and have not logged
   * in since.
   */
  not_since?: string | undefined
}

/** The users of a tenant. */
export interface Users extends Readable<User>, Deletable<User> {
  /** Finds users. Pages are read as you iterate. Not in the specification of the API. */
  search(query?: UserSearch): AsyncGenerator<User, void, undefined>
  /**
   * Reads all stored data of a user except hashes and secrets, for a request under data protection
   * law. The audit log of the service records each call. Not in the specification of the API.
   */
  exportData(id: string): AsyncGenerator<UserDataObject, void, undefined>
  /**
   * Lists the reasons why a user cannot log in now; empty if the user can log in. This endpoint is
   * not part of the API specification.
   */
  loginTrouble(id: string): Promise<LoginObstacle[]>
  /**
   * Resets the failed login attempts of a user. Resolves to the obstacles that still keep the user
   * from logging in. Not in the specification of the API.
   */
  letTryAgain(id: string): Promise<LoginObstacle[]>
  /** Creates a user without credentials. */
  create(input: UserInput, options?: CreateOptions<User>): Promise<User>
  /**
   * Creates users with their passwords, and yields a result for each, in the same order. One
   * request has up to a hundred users if the service supports that. Otherwise, each user takes two
   * requests.
   *
   * If a user is refused, the import continues. If the service cannot be reached, it throws. You
   * can then send all users again: users who exist already get the result `existing`. Only a user
   * who was created without the password, because the second of the two requests failed, needs
   * more: before it throws, the import yields `refused` with the `id` of that user, whose password
   * you create with `client.credentials()`. The command `latchkey users import` also keeps a journal
   * of its progress.
   */
  import(
    users: Iterable<UserImport> | AsyncIterable<UserImport>,
  ): AsyncGenerator<ImportResult, void, undefined>
  /**
   * Imports a newer export: creates new users and updates changed members. Yields a result for each
   * user, in the same order. A member that was changed in the service since the earlier import
   * stays unchanged, and is reported as a conflict. Importing the same export again changes
   * nothing. Not in the specification of the API.
   *
   * @param options - With `preview: true`, nothing is changed; the results are those that an import
   *   would have.
   */
  importChanges(
    users: Iterable<UserImportChange> | AsyncIterable<UserImportChange>,
    options?: { preview?: boolean | undefined },
  ): AsyncGenerator<ImportChangeResult, void, undefined>
}

export function createUsers(send: Send, tenantId: string): Users {
  const path = `/v1/tenants/${segment(tenantId)}/users`
  const { list, page, get, update, ...access } = createAccess<User>(send, path, zeros.User)
  const importer = createUserImporter(send, tenantId)
  const obstaclesAfter = async (input: Parameters<Send>[0]) =>
    ((await send(input)).body.obstacles ?? []) as LoginObstacle[]
  const users: Users = {
    list,
    page,
    get,
    update,
    delete: access.delete,
    search: (query = {}) => readFiltered(send, `/x${path}`, { ...query }, access.restore),
    exportData: (id) =>
      readFiltered(send, `/x${path}/${segment(id)}/data`, {}, (item) => item as UserDataObject),
    loginTrouble: (id) =>
      obstaclesAfter({
        method: 'GET',
        path: `/x${path}/${segment(id)}/login-trouble`,
        isRepeatable: true,
      }),
    letTryAgain: (id) =>
      obstaclesAfter({
        method: 'POST',
        path: `/x${path}/${segment(id)}/let-try-again`,
        body: {},
        isRepeatable: true,
      }),
    async create(input, options) {
      const body = { type: 'User', ...input }
      const recover = recovery(options)
      const answer = await send({ method: 'POST', path, body, isRepeatable: false, recover })
      return access.restore(answer.body)
    },
    async *import(inputs) {
      if (await importer.isOffered()) return yield* inBatches(importer, inputs)
      for await (const input of inputs) yield* importOne(send, tenantId, users, input)
    },
    importChanges: (inputs, { preview = false } = {}) =>
      updateInBatches(createUserUpdater(send, tenantId), inputs, preview),
  }
  return users
}

async function* inBatches(
  importer: UserImporter,
  inputs: Iterable<UserImport> | AsyncIterable<UserImport>,
): AsyncGenerator<ImportResult, void, undefined> {
  const batch = createBatch<UserImport>()
  for await (const input of inputs) {
    if (input.legacy_password && !(await importer.takesLegacy())) {
      if (batch.items.length > 0) yield* await importer.post(batch.take())
      yield noLegacy
      continue
    }
    if (batch.add(input, input)) continue
    yield* await importer.post(batch.take())
    batch.add(input, input)
  }
  if (batch.items.length > 0) yield* await importer.post(batch.take())
}

/** The result for a user with `legacy_password`, if the service does not support that member. */
const noLegacy: ImportResult = {
  status: 'refused',
  code: 'unsupported_algorithm',
  detail:
    'This service does not take hashes of other systems. Update it, or leave the password out.',
}

/**
 * Creates a user and then the password, in two requests. Yields one result.
 *
 * @throws the error of a request, unless it is about this user's data. If the user has been created,
 *   the error is thrown after the result, which has the user's id.
 */
async function* importOne(
  send: Send,
  tenantId: string,
  users: Users,
  { password, legacy_password, ...input }: UserImport,
): AsyncGenerator<ImportResult, void, undefined> {
  if (legacy_password) return yield noLegacy
  let id: string | undefined
  try {
    id = (await users.create(input)).id
    if (password) await createCredentials(send, tenantId, id).create({ password })
  } catch (error) {
    if (id === undefined && error instanceof ConflictError) return yield { status: 'existing' }
    const isOwn = error instanceof ApiError && isOwnFault(error, id)
    if (error instanceof ManagementError && (isOwn || id !== undefined)) {
      const detail = error instanceof ApiError ? error.detail : error.message
      yield { status: 'refused', code: error.code, detail, ...(id !== undefined && { id }) }
    }
    if (!isOwn) throw error
    return
  }
  yield { status: 'created', id }
}

/**
 * Whether a refusal is about this user's data, and not about the API key or login, the tenant, the
 * rate limit or the server.
 *
 * @param userId - The id of the user, if the user has been created. Without it, a 404 is about the
 *   tenant.
 */
export function isOwnFault(error: ApiError, userId: string | undefined): boolean {
  const { status } = error
  if (isAboutCaller(error)) return false
  if (status === 404) return userId !== undefined
  return status >= 400 && status < 500 && status !== 401 && status !== 429
}
