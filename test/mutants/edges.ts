// cspell:ignore contraseña hasło
import type { Defect } from './mutants.ts'

/** The tests that must notice a defect. */
export interface Tests {
  /** A file of tests. */
  readonly file: string
  /** A pattern of their names, where the file has many more. */
  readonly names?: string
}

/** A defect at an edge of the kit, and the tests of Vitest that must notice it. */
export interface EdgeMutant extends Defect {
  readonly by: Tests
}

const core = (path: string): string => `packages/core/src/${path}`
const nextjs = (path: string): string => `packages/nextjs/src/${path}`
const nestjs = (path: string): string => `packages/nestjs/src/${path}`
const guarded = (path: string): string => `packages/testing/src/guarded/${path}`

const ABSENT: Tests = { file: 'packages/express/test/absent-members.test.ts' }
const CLAIMS: Tests = { file: 'packages/core/test/session-user.test.ts' }
const ABSENT_OF_KEYS: Tests = { file: 'packages/core/test/absent-members.test.ts' }
const SIGNATURE: Tests = { file: 'packages/core/test/signature.test.ts' }
const USERINFO: Tests = { file: 'packages/express/test/signed-userinfo.test.ts' }
const LOGOUT_TOKENS: Tests = { file: 'packages/express/test/backchannel-logout.test.ts' }
const BINDINGS: Tests = {
  file: 'packages/express/test/adapter.test.ts',
  names: 'proof|bound|bearer',
}
const PROOFS: Tests = { file: 'packages/express/test/proofs.test.ts' }
const DPOP: Tests = { file: 'test/dpop.test.ts' }
const WEBHOOKS: Tests = { file: 'packages/core/test/webhooks.test.ts' }
const DEADLINES: Tests = { file: 'packages/session-store/test/busy.test.ts' }
const MEMORY: Tests = { file: 'packages/core/test/memory-store.test.ts' }
const SHARE: Tests = { file: 'packages/core/test/form-share.test.ts' }
const FORMS: Tests = { file: 'packages/express/test/adapter.test.ts', names: 'form' }
const NAMES: Tests = { file: 'packages/core/test/secret-names.test.ts' }
const NEXT: Tests = { file: 'packages/nextjs/test/proxy.test.ts' }
const TELEMETRY: Tests = { file: 'test/kit-telemetry.test.ts', names: 'work with' }
const LOOPS: Tests = {
  file: 'packages/express/test/adapter.test.ts',
  names: 'expired at the provider',
}
const DEVIATIONS: Tests = {
  file: 'packages/express/test/deviations.test.ts',
  names: 'cannot take now',
}
const GUARDED: Tests = { file: 'packages/fastify/test/assert-guarded.test.ts' }
const GATEWAYS: Tests = { file: 'packages/nestjs/test/gateways.test.ts' }
const RESOLVERS: Tests = { file: 'packages/nestjs/test/graphql.test.ts' }
const REMEDIES: Tests = { file: 'packages/express/test/first-hour.test.ts' }

/** Each of these is noticed by its tests. */
export const EDGES: readonly EdgeMutant[] = [
  {
    name: 'an empty text of a provider counts as a value',
    by: ABSENT,
    file: core('shared/present-members.ts'),
    find: "value !== null && value !== ''",
    replacement: 'value !== null',
  },
  {
    name: 'null of a provider counts as a value',
    by: ABSENT,
    file: core('shared/present-members.ts'),
    find: "value !== null && value !== ''",
    replacement: "value !== ''",
  },
  {
    name: 'a token answer is read as it was sent',
    by: ABSENT,
    file: core('provider/token-answer.ts'),
    find: 'const said = presentMembers(parsed)',
    replacement: 'const said = parsed',
  },
  {
    name: 'an ID token is read as it was sent',
    by: ABSENT,
    file: core('provider/token-answer.ts'),
    find: 'id_token: readableJwt(idToken)',
    replacement: 'id_token: idToken',
  },
  {
    name: 'a discovery document is read as it was sent',
    by: ABSENT,
    file: core('provider/discovery.ts'),
    find: 'found && presentMembers(asJson<ServerMetadata>({ ...found, ...overrides }))',
    replacement: 'found && asJson<ServerMetadata>({ ...found, ...overrides })',
  },
  {
    name: 'claims of users are read as they were sent',
    by: CLAIMS,
    file: core('session/session-user.ts'),
    find: '{ ...presentMembers(given) }',
    replacement: '{ ...given }',
  },
  {
    name: 'a published key is read as it was sent',
    by: ABSENT_OF_KEYS,
    file: core('provider/signed/signature.ts'),
    find: 'keys.filter(isRecord).map(presentMembers)',
    replacement: 'keys.filter(isRecord)',
  },
  {
    name: 'the header of a token is read as it was sent',
    by: ABSENT_OF_KEYS,
    file: core('provider/signed/jwt.ts'),
    find: '    ...presentMembers(found),\n',
    replacement: '    ...found,\n',
  },
  {
    name: 'a critical header that is empty counts as none',
    by: ABSENT_OF_KEYS,
    file: core('provider/signed/jwt.ts'),
    find: "    ...('crit' in found && { crit: found.crit }),\n",
    replacement: '',
  },
  {
    name: 'signed userinfo is read as it was sent',
    by: USERINFO,
    file: core('tokens/userinfo.ts'),
    find: 'presentMembers(decodeJwt(token)?.payload ?? {})',
    replacement: '(decodeJwt(token)?.payload ?? {})',
  },
  {
    name: 'a logout token is read as it was sent',
    by: LOGOUT_TOKENS,
    file: core('logout/backchannel-logout.ts'),
    find: 'presentMembers(jwt.payload)',
    replacement: 'jwt.payload',
  },
  {
    name: 'a nonce that is null may be in a logout token',
    by: LOGOUT_TOKENS,
    file: core('logout/backchannel-logout.ts'),
    find: 'checkEvent(jwt.payload)',
    replacement: 'checkEvent(payload)',
  },
  {
    name: 'an access token is read as it was sent',
    by: BINDINGS,
    file: core('guard/bearer-token.ts'),
    find: 'presentMembers(jwt.payload)',
    replacement: 'jwt.payload',
  },
  {
    name: 'the user of a refresh that says none is another one',
    by: ABSENT,
    file: core('tokens/refresh.ts'),
    find: 'presentMembers(payload ?? {})',
    replacement: '(payload ?? {})',
  },
  {
    name: 'a refresh token is lost with an answer that cannot be used',
    by: ABSENT,
    file: core('tokens/refresh.ts'),
    find: '      await keepRefreshToken(session, stored, received)\n      if',
    replacement: '      if',
  },
  {
    name: 'a refresh token is lost with a hook that fails',
    by: ABSENT,
    file: core('tokens/refresh.ts'),
    find: '    await keepRefreshToken(session, stored, received)\n    throw',
    replacement: '    throw',
  },
  {
    name: 'a refresh token of another user is kept',
    by: ABSENT,
    file: core('tokens/refresh.ts'),
    find: 'named === sub ? token',
    replacement: "named !== '' ? token",
  },
  {
    name: 'a refresh without use counts as one for requests that wait',
    by: ABSENT,
    file: core('tokens/refresh.ts'),
    find: 'now?.accessTokenExpiresAt !== before?.accessTokenExpiresAt\n',
    replacement:
      'now?.accessTokenExpiresAt !== before?.accessTokenExpiresAt ||\n    now?.refreshToken !== before?.refreshToken\n',
  },
  {
    name: 'an answer to a refresh that cannot be used ends the session',
    by: ABSENT,
    file: core('tokens/refresh.ts'),
    find: 'if (wrong) return unusable(wrong.message)\n  return',
    replacement: 'if (wrong) return rejected(wrong.message)\n  return',
  },
  {
    name: 'a refresh may answer with a token that is not bound',
    by: DPOP,
    file: core('tokens/refresh.ts'),
    find: "provider.dpop && tokens.token_type !== 'dpop'",
    replacement: "provider.dpop && tokens.token_type === ''",
  },
  {
    name: 'a token that the provider calls DPoP needs no key',
    by: BINDINGS,
    file: core('guard/bearer-token.ts'),
    find: 'if (/^dpop$/i.test(String(type)))',
    replacement: 'if (/^dpop$/i.test(String(cnf)))',
  },
  {
    name: 'a token of an unknown type is a bearer token',
    by: BINDINGS,
    file: core('guard/bearer-token.ts'),
    find: "typeof type !== 'string' || !/^(bearer|dpop)$/i.test(type)",
    replacement: "typeof type !== 'string'",
  },
  {
    name: 'a token that is bound to a key passes with the scheme Bearer',
    by: PROOFS,
    file: core('guard/bearer-token.ts'),
    find: "  if (!isProven) throw invalid('cnf', 'is bound to a key')\n",
    replacement: '',
  },
  {
    name: 'a token without a key passes with the scheme DPoP',
    by: PROOFS,
    file: core('guard/bearer-token.ts'),
    find: "if (isProven) throw invalid('scheme'",
    replacement: "if (isProven && type !== undefined) throw invalid('scheme'",
  },
  {
    name: 'a proof is asked for, and not checked',
    by: PROOFS,
    file: core('guard/bearer-token.ts'),
    find: '  await checkProof(asked, token, jkt)\n',
    replacement: '  void checkProof\n',
  },
  {
    name: 'a proof that was verified once counts for later requests',
    by: BINDINGS,
    file: core('guard/bearer-token.ts'),
    find: 'const readTokens = new WeakMap<AuthRequest, ReadToken>()',
    replacement:
      'const last: { token?: ReadToken } = {}\nconst readTokens = { get: (_: AuthRequest) => last.token, set: (_: AuthRequest, token: ReadToken) => void (last.token = token) }',
  },
  {
    name: 'RS256 is an algorithm of proofs',
    by: BINDINGS,
    file: core('provider/fapi.ts'),
    find: "new Set(['PS256',",
    replacement: "new Set(['RS256', 'PS256',",
  },
  {
    name: 'another kind of token is a proof',
    by: PROOFS,
    file: core('guard/proof-of-possession.ts'),
    find: "header.typ !== 'dpop+jwt' || header.crit",
    replacement: 'header.crit',
  },
  {
    name: 'a proof by any key counts',
    by: PROOFS,
    file: core('guard/proof-of-possession.ts'),
    find: 'if (proven !== thumbprint)',
    replacement: "if (proven === '')",
  },
  {
    name: 'a proof may bring its private key',
    by: PROOFS,
    file: core('guard/proof-of-possession.ts'),
    find: " && !('d' in jwk)",
    replacement: '',
  },
  {
    name: 'a proof for one method counts for each',
    by: PROOFS,
    file: core('guard/proof-of-possession.ts'),
    find: 'if (htm !== request.method)',
    replacement: "if (htm === '')",
  },
  {
    name: 'a proof for one access token counts for each',
    by: PROOFS,
    file: core('guard/proof-of-possession.ts'),
    find: "if (ath !== createHash('sha256').update(token).digest('base64url')) {",
    replacement: 'if (ath === undefined || !createHash) {',
  },
  {
    name: 'a proof of tomorrow counts',
    by: PROOFS,
    file: core('guard/proof-of-possession.ts'),
    find: 'Math.abs(now - iat) > GOOD_SECONDS',
    replacement: 'now - iat > GOOD_SECONDS',
  },
  {
    name: 'a proof counts twice',
    by: PROOFS,
    file: core('guard/proof-of-possession.ts'),
    find: 'if (!(await context.replays.consume(key, MARKED_SECONDS)))',
    replacement: 'if (!key)',
  },
  {
    name: 'an encoded slash in the address of a proof is a slash',
    by: PROOFS,
    file: core('guard/proof-of-possession.ts'),
    find: '/[\\w.~-]/.test(character)',
    replacement: '/[\\w.~/-]/.test(character)',
  },
  {
    name: 'the digits of an encoded character are compared as they are written',
    by: PROOFS,
    file: core('guard/proof-of-possession.ts'),
    find: 'encoded.toUpperCase()',
    replacement: 'encoded',
  },
  {
    name: 'a stream is sent again when an API asks for a nonce',
    by: DPOP,
    file: core('tokens/call-api.ts'),
    find: 'if (isSent && isStream(init.body)) throw bodySent(url)',
    replacement: 'if (isSent && !isStream) throw bodySent(url)',
  },
  {
    name: 'a text is not sent again when an API asks for a nonce',
    by: DPOP,
    file: core('tokens/call-api.ts'),
    find: 'if (isSent && isStream(init.body))',
    replacement: 'if (isSent && init.body)',
  },
  {
    name: 'the nonce of an API is forgotten',
    by: DPOP,
    file: core('tokens/call-api.ts'),
    find: '      provider.proofs.note(address, answer.headers)\n',
    replacement: '',
  },
  {
    name: 'a login may end with a token that is not bound',
    by: DPOP,
    file: core('login/redeem.ts'),
    find: "proofKey !== undefined && tokens.token_type !== 'dpop'",
    replacement: "proofKey !== undefined && tokens.token_type === ''",
  },
  {
    name: 'the handler of a webhook has no deadline',
    by: WEBHOOKS,
    file: core('webhooks/deliveries.ts'),
    find: 'await inTime(name, working, answerSeconds)',
    replacement: 'await working',
  },
  {
    name: 'the store of a webhook has no deadline',
    by: WEBHOOKS,
    file: core('webhooks/deliveries.ts'),
    find: "const store = answeringStore(parts.store, answerSeconds, { name: 'store' })",
    replacement: "const store = answeringStore(parts.store, 2 ** 20, { name: 'store' })",
  },
  {
    name: 'a webhook waits for a handler that is late before it answers',
    by: WEBHOOKS,
    file: core('webhooks/deliveries.ts'),
    find: 'if (!isLate) await freed',
    replacement: 'await freed',
  },
  {
    name: 'an event whose handler is late is handled again beside it',
    by: WEBHOOKS,
    file: core('webhooks/deliveries.ts'),
    find: '      done = remembered\n',
    replacement: '',
  },
  {
    name: 'an event whose handler was late is handled again after it',
    by: WEBHOOKS,
    file: core('webhooks/deliveries.ts'),
    find: 'working.then(() => remember(keys))',
    replacement: 'working.then(() => remember(isLate ? [] : keys))',
  },
  {
    name: 'the lock of a webhook has no deadline for its release',
    by: WEBHOOKS,
    file: core('errors/deadline.ts'),
    find: 'release && answering(name, release, answerSeconds)',
    replacement: 'release',
  },
  {
    name: 'the error of a late webhook names another function',
    by: WEBHOOKS,
    file: core('webhooks/handler.ts'),
    find: "isKnownEvent(event) ? 'onEvent' : 'onUnknownEvent'",
    replacement: "'onEvent'",
  },
  {
    name: 'the service is not told when to send a webhook again',
    by: WEBHOOKS,
    file: core('webhooks/handler.ts'),
    find: 'if (error.retryable) answer',
    replacement: 'if (error.retryable && error.expose) answer',
  },
  {
    name: 'two copies of an event are handled beside each other',
    by: WEBHOOKS,
    file: core('webhooks/deliveries.ts'),
    find: "if (!release) return 'busy'",
    replacement: "if (!release) void 'busy'",
  },
  {
    name: 'an event that was handled is handled again',
    by: WEBHOOKS,
    file: core('webhooks/deliveries.ts'),
    find: "return 'repeated'",
    replacement: "void 'repeated'",
  },
  {
    name: 'a deadline counts the time in which the process was blocked',
    by: DEADLINES,
    file: core('shared/deadline.ts'),
    find: 'const SLICES = 10',
    replacement: 'const SLICES = 1',
  },
  {
    name: 'sessions in memory have no bound in bytes',
    by: MEMORY,
    file: core('session/stores/bounded-records.ts'),
    find: ' || logins.bytes + others.bytes > maxBytes',
    replacement: '',
  },
  {
    name: 'visitors fill the memory store',
    by: MEMORY,
    file: core('session/stores/bounded-records.ts'),
    find: 'isOver() || others.bytes > maxBytes / VISITORS_PART || hasExpired(oldest)',
    replacement: 'isOver() || hasExpired(oldest)',
  },
  {
    name: 'bytes of sessions that are gone are counted',
    by: MEMORY,
    file: core('session/stores/bounded-records.ts'),
    find: 'if (held && all.delete(id)) bytes -= held.bytes',
    replacement: 'if (held) all.delete(id)',
  },
  {
    name: 'a character beyond Latin-1 is one byte',
    by: MEMORY,
    file: core('session/stores/bounded-records.ts'),
    find: '(WIDE.test(value) ? 2 : 1)',
    replacement: '(WIDE.test(value) ? 1 : 1)',
  },
  {
    name: 'a mark is kept with its whole key',
    by: MEMORY,
    file: core('session/stores/marks.ts'),
    find: 'name.length > MAX_KEY_LENGTH ?',
    replacement: 'name.length < 0 ?',
  },
  {
    name: 'small forms of strangers have no bound',
    by: SHARE,
    file: core('login/form-share.ts'),
    find: 'const ENTRY_BYTES = 1024',
    replacement: 'const ENTRY_BYTES = 0',
  },
  {
    name: 'forms of strangers have the share of users',
    by: FORMS,
    file: core('login/kept-forms.ts'),
    find: 'form.user === undefined ? strangers : users',
    replacement: "form.user === '' ? strangers : users",
  },
  {
    name: 'a form that made room stays in the store',
    by: FORMS,
    file: core('login/kept-forms.ts'),
    find: 'await makeRoom(share.take(id, sealed.length))',
    replacement: 'share.take(id, sealed.length)',
  },
  {
    name: 'the cookie of one tab’s form replaces that of another',
    by: FORMS,
    file: core('login/kept-forms.ts'),
    find: 'browser.isNew ? id : undefined',
    replacement: 'undefined',
  },
  {
    name: 'a kept form of a browser whose user is known is a stranger’s',
    by: FORMS,
    file: core('login/kept-forms.ts'),
    find: ': browser.user,',
    replacement: ': undefined,',
  },
  {
    name: 'a kept form has no end',
    by: FORMS,
    file: core('login/kept-forms.ts'),
    find: 'if (!stored || stored.expiresAt <= options.now()) return undefined',
    replacement: 'if (!stored) return undefined',
  },
  {
    name: 'fields with accents are kept, such as contraseña',
    by: NAMES,
    file: core('login/secret-names.ts'),
    find: ".normalize('NFD').replace(/\\p{M}/gu, '')",
    replacement: '',
  },
  {
    name: 'fields in camel case are kept, such as userPin',
    by: NAMES,
    file: core('login/secret-names.ts'),
    find: "name.replace(/([\\p{Ll}\\d])(?=\\p{Lu})/gu, '$1 ')",
    replacement: 'name',
  },
  {
    name: 'fields in Polish are kept, such as hasło',
    by: NAMES,
    file: core('login/secret-names.ts'),
    find: ".replaceAll('ł', 'l')",
    replacement: '',
  },
  {
    name: 'fields with separators are kept, such as mot_de_passe',
    by: NAMES,
    file: core('login/secret-names.ts'),
    find: "PIECES.test(plain.replace(/[^a-z]/g, ''))",
    replacement: 'PIECES.test(plain)',
  },
  {
    name: 'fields with a number are kept, such as pw1',
    by: NAMES,
    file: core('login/secret-names.ts'),
    find: "WORDS.test(word.replace(/\\d+$/, ''))",
    replacement: 'WORDS.test(word)',
  },
  {
    name: 'fields named like passwords are kept',
    by: FORMS,
    file: core('login/kept-forms.ts'),
    find: 'isSecretName(name) || keepForms',
    replacement: 'keepForms',
  },
  {
    name: 'the header of a client stays where the proxy of Next.js has nothing to say',
    by: NEXT,
    file: nextjs('request-headers.ts'),
    find: '  headers.delete(ASKED)\n}\n\n/** Passes',
    replacement: '}\n\n/** Passes',
  },
  {
    name: 'the proxy of Next.js passes the address in clear text',
    by: NEXT,
    file: nextjs('request-headers.ts'),
    find: 'addressSealer.seal(asked)',
    replacement: '(addressSealer && asked)',
  },
  {
    name: 'a page of Next.js believes the header of a client',
    by: NEXT,
    file: nextjs('request-headers.ts'),
    find: "addressSealer.open(headers.get(ASKED) ?? '')",
    replacement: '(addressSealer && (headers.get(ASKED) ?? undefined))',
  },
  {
    name: 'every request of a page of Next.js is a GET',
    by: NEXT,
    file: nextjs('request-headers.ts'),
    find: 'new Request(baseUrl.origin + path, { method, headers })',
    replacement: "new Request(baseUrl.origin + path, { method: method && 'GET', headers })",
  },
  {
    name: 'a check reads an address that was made up',
    by: NEXT,
    file: nextjs('request-headers.ts'),
    find: 'asked ? request : withoutAddress(request)',
    replacement: 'asked ? request : (withoutAddress && request)',
  },
  {
    name: 'a form that is sent to a page without a script is a GET',
    by: NEXT,
    file: nextjs('request-headers.ts'),
    find: "headers.has('next-action') || headers.has('content-type')",
    replacement: "headers.has('next-action')",
  },
  {
    name: 'a fetch of the router of Next.js begins a login',
    by: NEXT,
    file: nextjs('no-navigation.ts'),
    find: "mode !== 'navigate' || purpose",
    replacement: 'purpose',
  },
  {
    name: 'a prefetch of a browser begins a login',
    by: NEXT,
    file: nextjs('no-navigation.ts'),
    find: "return mode !== 'navigate' || purpose.startsWith('prefetch')",
    replacement: "return mode !== 'navigate' || purpose === ''",
  },
  {
    name: 'the options of Next.js are made when a module is loaded',
    by: NEXT,
    file: nextjs('create-auth.ts'),
    find: '  let made: ProxiedAuth<U> | undefined\n',
    replacement:
      "  let made: ProxiedAuth<U> | undefined = makeLogin(\n    typeof options === 'function' ? options() : options,\n  )\n",
  },
  {
    name: 'the options of Next.js are made for each request',
    by: NEXT,
    file: nextjs('create-auth.ts'),
    find: 'made ??= makeLogin',
    replacement: 'made = makeLogin',
  },
  {
    name: 'telemetry that throws fails a login',
    by: TELEMETRY,
    file: core('shared/guarded-calls.ts'),
    find: '      return undefined\n    }\n  }\n  return {\n    attempt',
    replacement: '      throw cause\n    }\n  }\n  return {\n    attempt',
  },
  {
    name: 'each call of telemetry that throws is in the log',
    by: TELEMETRY,
    file: core('shared/guarded-calls.ts'),
    find: 'if (!hasFailed) {',
    replacement: 'if (hasFailed || cause) {',
  },
  {
    name: 'a wrapper that fails after the work runs it again',
    by: TELEMETRY,
    file: core('shared/guarded-calls.ts'),
    find: '      return once()()\n',
    replacement: '      return resultOf(work)()\n',
  },
  {
    name: 'a span that cannot end fails a login',
    by: TELEMETRY,
    file: core('shared/telemetry.ts'),
    find: '() => attempt(() => span.end())',
    replacement: '() => span.end()',
  },
  {
    name: 'a login that expired at Keycloak is refused',
    by: LOOPS,
    file: core('login/callback.ts'),
    find: 'isExpired(error, parameters) && transaction.restarts === 0',
    replacement: 'isExpired(error, parameters) && transaction.restarts < 0',
  },
  {
    name: 'every login that the provider cannot take now begins again',
    by: DEVIATIONS,
    file: core('login/callback.ts'),
    find: "    parameters.get('error') === 'temporarily_unavailable' &&\n    parameters.get('error_description') === 'authentication_expired'\n",
    replacement: "    parameters.get('error') === 'temporarily_unavailable'\n",
  },
  {
    name: 'of keys with one kid the first alone is tried',
    by: SIGNATURE,
    file: core('provider/signed/signature.ts'),
    find: '.slice(0, MAX_TRIED)',
    replacement: '.slice(0, 1)',
  },
  {
    name: 'any number of keys with one kid is tried',
    by: SIGNATURE,
    file: core('provider/signed/signature.ts'),
    find: '.slice(0, MAX_TRIED)',
    replacement: '.slice(0, 100 * MAX_TRIED)',
  },
  {
    name: 'a handler of HEAD without a guard hides behind a guarded GET',
    by: GUARDED,
    file: guarded('fastify.ts'),
    find: ' &&\n    route.isGuarded === get.isGuarded\n',
    replacement: '\n',
  },
  {
    name: 'another handler of HEAD hides behind a guarded GET',
    by: GUARDED,
    file: guarded('fastify.ts'),
    find: '    route.handler === get.handler &&\n',
    replacement: '',
  },
  {
    name: 'a verification of another type than text and boolean counts',
    by: CLAIMS,
    file: core('session/session-user.ts'),
    find: "else if (typeof value !== 'boolean') delete claims[name]",
    replacement: 'else if (value === undefined) delete claims[name]',
  },
  {
    name: 'the text "false" is a verified telephone number',
    by: CLAIMS,
    file: core('session/session-user.ts'),
    find: ", phone_number_verified: 'phone_number' }",
    replacement: ' }',
  },
  {
    name: 'a verification of the address before a refresh counts for the one after it',
    by: CLAIMS,
    file: core('session/session-user.ts'),
    find: 'user: joined(without(user, replaced), fresh)',
    replacement: 'user: { ...without(user, replaced), ...fresh }',
  },
  {
    name: 'an error has the remedy of its code and not of its cause',
    by: REMEDIES,
    file: core('errors/errors.ts'),
    find: 'options.remedy ?? CODES[code].remedy',
    replacement: 'CODES[code].remedy',
  },
  {
    name: 'a claim that is wrong is told with the remedy of every claim',
    by: REMEDIES,
    file: core('provider/signed/id-token.ts'),
    find: 'remedy: REMEDY_OF[claim] }',
    replacement: 'remedy: undefined }',
  },
  {
    name: 'a signature that is wrong is told with the remedy of every token',
    by: REMEDIES,
    file: core('login/redeem.ts'),
    find: 'The signature of the ID token ${fault}.`, remedy)',
    replacement: 'The signature of the ID token ${fault}.`, remedy && undefined)',
  },
  {
    name: 'a code that is refused is told with the remedy of every code',
    by: REMEDIES,
    file: core('login/redeem.ts'),
    find: 'isOurs ? sent.client : isGrant ? CAUSES.grant : undefined',
    replacement: 'isOurs ? sent.client : undefined',
  },
  {
    name: 'a bearer token that is refused is told with the remedy of every token',
    by: REMEDIES,
    file: core('guard/bearer-token.ts'),
    find: '    ...(remedy && { remedy }),\n',
    replacement: '',
  },
  {
    name: 'a page of another site opens a WebSocket of a public gateway with its user',
    by: GATEWAYS,
    file: nestjs('connections.ts'),
    find: "  return refusal?.error.code === 'LATCHKEY_REQUEST_FORGED' ? refusal : undefined\n",
    replacement: '  return undefined\n',
  },
  {
    name: 'a gateway decides about its messages by the session of the handshake',
    by: GATEWAYS,
    file: nestjs('gateways.ts'),
    find: '  const visit = await connections.open(request)\n',
    replacement:
      '  const visit = visits.of<never>(client) as unknown as Awaited<ReturnType<typeof connections.open>>\n',
  },
  {
    name: 'the handshake of a gateway asks for any user, whatever its class requires',
    by: GATEWAYS,
    file: nestjs('gateways.ts'),
    find: "  return typeof access === 'object' ? access : ANY_USER\n",
    replacement: '  return ANY_USER\n',
  },
  {
    name: 'a message of a gateway is let in though the session of its connection has ended',
    by: GATEWAYS,
    file: nestjs('connections.ts'),
    find: "    if (ended.aborted) end(socket)\n    else ended.addEventListener('abort', () => end(socket))\n",
    replacement: '',
  },
  {
    name: 'a refused resolver of GraphQL runs',
    by: RESOLVERS,
    file: nestjs('graphql.ts'),
    find: '  if (refusal) throw graphqlError(refusal)\n',
    replacement: '',
  },
  {
    name: 'errors of GraphQL have no code of the kit',
    by: RESOLVERS,
    file: nestjs('graphql.ts'),
    find: 'latchkeyCode: error.code, ',
    replacement: '',
  },
]
