import type { Application, Metadata, TenantSettings } from '../../store/records.ts'
import { allowsSecondSteps, isDay, SECOND_STEP_KEY } from '../tenants/second-step-rule.ts'
import { ServiceError } from '../writes/errors.ts'
import { reason } from '../writes/reasons/index.ts'
import { checkMetadata, checkText, checkUrl, checkUrlCount, limits } from '../writes/rules.ts'
import { checkNewApi } from './application-api.ts'
import { checkNewExceptions } from './application-exceptions.ts'
import { checkNewProfile } from './application-profile.ts'
import { checkNewResources } from './application-resources.ts'
import { checkNewScopes } from './application-scopes.ts'
import { checkNewLogoutAddress, checkReturnUrl, refuseNewWildcard } from './application-urls.ts'

/** The fields of an application that a caller sets. */
export type ApplicationInput = Pick<
  Application,
  'name' | 'metadata' | 'loginUrl' | 'logoutUrls' | 'redirectUrls'
>

/** A rule that an application breaks. */
export interface ApplicationProblem {
  /** The name of the member in the API. */
  readonly field: 'name' | 'metadata' | 'login_url' | 'logout_urls' | 'redirect_urls'
  /** The index in a list of URLs; absent if the problem is not about one URL. */
  readonly index?: number
  readonly error: ServiceError
}

interface Check extends Pick<ApplicationProblem, 'field' | 'index'> {
  run(): void
}

/**
 * Checks all members of an application. A plain-http URL that the same member has already may stay
 * after developer mode is switched off.
 *
 * @throws ServiceError for the first rule that is broken.
 */
export function checkApplication(
  input: ApplicationInput,
  stored: Application | undefined,
  settings: TenantSettings,
): void {
  for (const { run } of checksOf(input, stored, settings)) run()
}

/**
 * Checks an application by the rules that were added later. Values that were stored before may
 * stay.
 *
 * @throws ServiceError for the first rule that is broken.
 */
export function checkNewApplication(
  input: ApplicationInput,
  stored: Application | undefined,
  settings: TenantSettings,
): void {
  for (const { run } of newChecksOf(input, stored, settings)) run()
}

/** The rules that an application breaks: the first one of each field, and of each URL in a list. */
export function problemsOfApplication(
  input: ApplicationInput,
  stored: Application | undefined,
  settings: TenantSettings,
): ApplicationProblem[] {
  const checks = [...checksOf(input, stored, settings), ...newChecksOf(input, stored, settings)]
  const problems: ApplicationProblem[] = []
  for (const { field, index, run } of checks) {
    if (problems.some((one) => one.field === field && one.index === index)) continue
    try {
      run()
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      problems.push({ field, error, ...(index !== undefined && { index }) })
    }
  }
  return problems
}

function checksOf(
  input: ApplicationInput,
  stored: Application | undefined,
  { developerMode }: TenantSettings,
): Check[] {
  const { name, metadata, loginUrl } = input
  const before = stored && Object.fromEntries(listsOf(stored))
  return [
    { field: 'name', run: () => checkText('invalid_request', '"name"', name) },
    { field: 'metadata', run: () => checkMetadata(metadata) },
    {
      field: 'login_url',
      run: () =>
        loginUrl !== '' &&
        checkUrl('"login_url"', loginUrl, developerMode || loginUrl === stored?.loginUrl),
    },
    ...listsOf(input).flatMap(([field, urls]): Check[] => [
      { field, run: () => checkUrlCount(field, urls) },
      ...urls.slice(0, limits.urls).map((url, index) => ({
        field,
        index,
        run: () => {
          const allowsHttp = developerMode || before?.[field]?.includes(url) === true
          checkReturnUrl(`"${field}[${index}]"`, url, input, allowsHttp)
        },
      })),
    ]),
  ]
}

function newChecksOf(
  input: ApplicationInput,
  stored: Application | undefined,
  settings: TenantSettings,
): Check[] {
  const { metadata } = input
  const before = stored && Object.fromEntries(listsOf(stored))
  return [
    ...listsOf(input).flatMap(([field, urls]) =>
      urls.slice(0, limits.urls).map((url, index) => ({
        field,
        index,
        run: () => refuseNewWildcard(`"${field}[${index}]"`, url, before?.[field]),
      })),
    ),
    {
      field: 'metadata',
      run: () => checkNewLogoutAddress(metadata, stored?.metadata, settings.developerMode),
    },
    {
      field: 'metadata',
      run: () => checkNewSecondStep(metadata, stored?.metadata, settings),
    },
    ...[checkNewScopes, checkNewExceptions, checkNewProfile, checkNewApi, checkNewResources].map(
      (check): Check => ({ field: 'metadata', run: () => check(metadata, stored?.metadata) }),
    ),
  ]
}

/**
 * Checks the day from which logins need a second step. A value must be a day, and users of the
 * tenant must be able to have a second step. A value that is already stored may stay.
 *
 * @throws ServiceError `invalid_metadata`.
 */
function checkNewSecondStep(
  metadata: Metadata,
  stored: Metadata | undefined,
  settings: TenantSettings,
): void {
  const { [SECOND_STEP_KEY]: value } = metadata
  if (value === undefined || value === stored?.[SECOND_STEP_KEY]) return
  const given = { key: SECOND_STEP_KEY, value, wanted: reason('wanted_day') }
  if (!isDay(value)) throw new ServiceError('invalid_metadata', reason('metadata_value', given))
  if (allowsSecondSteps(settings)) return
  throw new ServiceError(
    'invalid_metadata',
    reason('second_step_not_at_tenant', { key: SECOND_STEP_KEY }),
  )
}

function listsOf({
  logoutUrls,
  redirectUrls,
}: Pick<Application, 'logoutUrls' | 'redirectUrls'>): [
  'logout_urls' | 'redirect_urls',
  string[],
][] {
  return [
    ['logout_urls', logoutUrls],
    ['redirect_urls', redirectUrls],
  ]
}
