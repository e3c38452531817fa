import { type Connection, type RecipeName, recipeNames } from '../../store/records.ts'
import { ServiceError } from '../writes/errors.ts'
import { nearestName } from '../writes/nearest-name.ts'
import { type Reason, reason } from '../writes/reasons/index.ts'

/** The properties of a provider that OpenID Connect does not standardize. */
export interface Recipe {
  /** The default name of a connection. */
  readonly name: string
  /** The issuer; `undefined` if each connection has its own. */
  readonly issuer: string | undefined
  readonly scopes: readonly string[]
  /**
   * The additional options of a connection. All are required, except an `issuer` that has a
   * default.
   */
  readonly options: readonly RecipeOption[]
  /** The response mode, if it is not `query`. */
  readonly responseMode?: 'form_post'
  /** The value of `prompt` with which the provider authenticates its user again. */
  readonly freshPrompt?: 'login' | 'select_account'
  /** The claim that says whether the user's address is verified. Only the value `true` counts. */
  readonly verifiedClaim: 'email_verified' | 'xms_edov'
  /**
   * Whether the provider is GitHub, which is no OpenID provider. Its users are read from its API.
   */
  readonly isGithub?: true
}

type RecipeOption = 'issuer' | 'directory' | 'teamId' | 'keyId'

const SCOPES = ['openid', 'email', 'profile']

export const recipes: Readonly<Record<RecipeName, Recipe>> = {
  google: {
    name: 'Google',
    issuer: 'https://accounts.google.com',
    scopes: SCOPES,
    options: [],
    freshPrompt: 'select_account',
    verifiedClaim: 'email_verified',
  },
  microsoft: {
    name: 'Microsoft',
    issuer: undefined,
    scopes: SCOPES,
    options: ['directory'],
    freshPrompt: 'login',
    // Administrators of a directory can write any address into `email`.
    verifiedClaim: 'xms_edov',
  },
  apple: {
    name: 'Apple',
    issuer: 'https://appleid.apple.com',
    scopes: ['openid', 'email', 'name'],
    options: ['teamId', 'keyId'],
    responseMode: 'form_post',
    verifiedClaim: 'email_verified',
  },
  gitlab: {
    name: 'GitLab',
    issuer: 'https://gitlab.com',
    scopes: SCOPES,
    options: ['issuer'],
    freshPrompt: 'login',
    verifiedClaim: 'email_verified',
  },
  github: {
    name: 'GitHub',
    issuer: 'https://github.com',
    scopes: ['user:email'],
    options: ['issuer'],
    freshPrompt: 'select_account',
    verifiedClaim: 'email_verified',
    isGithub: true,
  },
  oidc: {
    name: 'OpenID',
    issuer: undefined,
    scopes: SCOPES,
    options: ['issuer'],
    freshPrompt: 'login',
    verifiedClaim: 'email_verified',
  },
}

/** The fields of a connection that only some recipes need. */
export interface RecipeInput {
  issuer?: string | undefined
  /** The id of the Microsoft Entra directory (tenant): a GUID. */
  directory?: string | undefined
  /** The team id of Apple's developer account. */
  teamId?: string | undefined
  keyId?: string | undefined
}

/**
 * Checks the name of a recipe.
 *
 * @throws ServiceError `invalid_request` for an unknown name. The error names the nearest recipe,
 *   or all of them.
 */
export function recipeNamed(name: string): RecipeName {
  const known = recipeNames.find((one) => one === name)
  if (known) return known
  const nearest = nearestName(name, recipeNames)
  throw refused(
    nearest === undefined
      ? reason('recipe_unknown_of', { name, all: recipeNames.join(', ') })
      : reason('recipe_unknown', { name, nearest }),
  )
}

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const wanted: Readonly<Record<RecipeOption, Reason>> = {
  issuer: reason('recipe_issuer'),
  directory: reason('recipe_directory'),
  teamId: reason('recipe_team_id'),
  keyId: reason('recipe_key_id'),
}

/**
 * The issuer of a connection, and Apple's ids for the recipe `apple`.
 *
 * @throws ServiceError `invalid_request` for an option that is missing, malformed or not of this
 *   recipe.
 */
export function followRecipe(
  recipe: RecipeName,
  input: RecipeInput,
): Pick<Connection, 'issuer' | 'apple'> {
  const { teamId = '', keyId = '' } = input
  checkOptions(recipe, input, ['teamId', 'keyId'])
  return {
    issuer: issuerOf(recipe, input),
    apple: recipe === 'apple' ? { teamId, keyId } : undefined,
  }
}

/**
 * The issuer of a connection.
 *
 * @throws ServiceError `invalid_request` as {@link followRecipe} does, for `issuer` and `directory`.
 */
export function issuerOf(
  recipe: RecipeName,
  input: Pick<RecipeInput, 'issuer' | 'directory'>,
): string {
  checkOptions(recipe, input, ['issuer', 'directory'])
  const { directory } = input
  const entra = directory && `https://login.microsoftonline.com/${directory.toLowerCase()}/v2.0`
  return input.issuer || entra || (recipes[recipe].issuer ?? '')
}

function checkOptions(
  recipe: RecipeName,
  input: RecipeInput,
  checked: readonly RecipeOption[],
): void {
  const { options, issuer } = recipes[recipe]
  for (const option of checked) {
    const value = input[option] || undefined
    const isKnown = options.includes(option)
    if (value !== undefined && !isKnown) {
      throw refused(reason('recipe_lacks_option', { option, recipe }))
    }
    const isNeeded = isKnown && !(option === 'issuer' && issuer !== undefined)
    const isBad = option === 'directory' && value !== undefined && !GUID.test(value)
    if ((isNeeded && value === undefined) || isBad) {
      throw refused(reason('recipe_needs', { recipe, option, wanted: wanted[option] }))
    }
  }
}

function refused(because: Reason): ServiceError {
  return new ServiceError('invalid_request', because)
}
