/** Parameters of an authorization request that no option, hook or visitor can set. */
export const PROTECTED_PARAMETERS: ReadonlySet<string> = new Set([
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
  'scope',
  'max_age',
  'acr_values',
])
