/** A defect, planted by replacing a piece of a source that is in it once. */
export interface Mutant {
  /** What is wrong with it. */
  readonly name: string
  readonly adapter: 'express' | 'fastify' | 'hono' | 'koa'
  readonly file: string
  readonly find: string
  readonly replacement: string
}

const core = (path: string): string => `packages/core/src/${path}`

/** Each of these the contract notices. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the application’s Vary is overwritten',
    adapter: 'express',
    file: core('http/headers.ts'),
    find: "sink.set('vary', present ?",
    replacement: "sink.set('vary', (false as boolean) ?",
  },
  {
    name: 'the application’s Set-Cookie lines are lost',
    adapter: 'fastify',
    file: core('visit.ts'),
    find: '  #finish(headers: HeaderSink): void {\n',
    replacement:
      "  #finish(headers: HeaderSink): void {\n    headers.set('set-cookie', 'gone=1')\n",
  },
  {
    name: 'the application’s "public, max-age" wins',
    adapter: 'koa',
    file: core('http/headers.ts'),
    find: 'if (!UNSHARED.test(said) || /public/i.test(said)) sink',
    replacement: 'if (!said) sink',
  },
  {
    name: 'what a guard lets in is not marked private',
    adapter: 'hono',
    file: core('visit.ts'),
    find: '    // Before the hook `onError` may answer: no cache may keep what it sends.\n    this.sessionUsed()\n',
    replacement: '',
  },
  {
    name: 'a page that looks at the user is not marked private',
    adapter: 'express',
    file: core('guard/request-auth.ts'),
    find: '    this.#source.sessionUsed()\n    if (session.failure',
    replacement: '    if (session.failure',
  },
  {
    name: 'every page is marked private',
    adapter: 'express',
    file: core('visit.ts'),
    find: '  identify(): MaybePromise<this> {\n',
    replacement: '  identify(): MaybePromise<this> {\n    this.sessionUsed()\n',
  },
  {
    name: 'headers are marked at once, so that an error handler throws them away',
    adapter: 'koa',
    file: core('visit.ts'),
    find: 'if (response.beforeSent) response',
    replacement: 'if (false as boolean) response',
  },
  {
    name: 'the guard of Koa does not stop the handler',
    adapter: 'koa',
    file: 'packages/koa/src/index.ts',
    find: '    else await next()\n',
    replacement: '    await next()\n',
  },
  {
    name: 'the guard of Fastify forgets its requirement',
    adapter: 'fastify',
    file: 'packages/fastify/src/index.ts',
    find: 'visit.admit(requirement, request)',
    replacement: 'visit.admit(undefined, request)',
  },
  {
    name: 'the guard of Hono hands checks something else than its context',
    adapter: 'hono',
    file: 'packages/hono/src/index.ts',
    find: 'visit.admit(requirement, c)',
    replacement: 'visit.admit(requirement, null)',
  },
  {
    name: 'Hono answers a kit’s error as an error of the server',
    adapter: 'hono',
    file: 'packages/hono/src/index.ts',
    find: '      if (c.error instanceof LatchkeyError) throw c.error\n',
    replacement: '',
  },
  {
    name: 'Koa’s parsed body is not handed over',
    adapter: 'koa',
    file: 'packages/koa/src/index.ts',
    find: 'serve, { body: ctx.request.body, exchange: { ctx } }',
    replacement: 'serve, { exchange: { ctx } }',
  },
  {
    name: 'Fastify keeps only the last of several cookies',
    adapter: 'fastify',
    file: 'packages/fastify/src/reply-port.ts',
    find: 'append: (name, value) => void reply.header(name, value)',
    replacement: 'append: (name, value) => void reply.removeHeader(name).header(name, value)',
  },
  {
    name: 'the origin comes from the Host header',
    adapter: 'koa',
    file: core('node/request.ts'),
    find: "?? '/', this.#baseUrl)",
    replacement: "?? '/', new URL(String('http://') + this.#request.headers.host))",
  },
  {
    name: 'returnTo may lead to another site',
    adapter: 'express',
    file: core('login/return-to.ts'),
    find: '  if (url.origin !== baseUrl.origin || url.protocol !== baseUrl.protocol) return refused\n  const path = url.pathname + url.search + url.hash\n  if (!/^\\/(?!\\/)/.test(path)) return refused\n',
    replacement:
      "  const path = (url.origin === baseUrl.origin ? '' : url.origin) + url.pathname + url.search\n",
  },
  {
    name: 'a logout form of another site is accepted',
    adapter: 'hono',
    file: core('logout/logout.ts'),
    find: 'if (!isFromTrustedPage(request, context.options)) {',
    replacement: 'if (!request.headers.get("sec-fetch-site") && !request.headers.get("origin")) {',
  },
  {
    name: 'a GET logs out at once',
    adapter: 'fastify',
    file: core('logout/logout.ts'),
    find: '  if (isFollowedLink(request)) return',
    replacement: '  return',
  },
  {
    name: 'a session cookie with a wrong signature opens its session',
    adapter: 'koa',
    file: core('session/session-cookie.ts'),
    find: 'given.length === expected.length && timingSafeEqual(given, expected)',
    replacement: 'given.length <= expected.length',
  },
  {
    name: 'a session id that was seen before opens its session with any signature',
    adapter: 'fastify',
    file: core('session/session-cookie.ts'),
    find: 'if (genuine && fits(genuine)) return id',
    replacement: 'if (genuine) return id',
  },
  {
    name: 'a HEAD request completes a login',
    adapter: 'express',
    file: core('auth.ts'),
    find: 'add(routes.callback, { GET: handleCallback, POST: handleCallback })',
    replacement: 'add(routes.callback, { ...read(handleCallback), POST: handleCallback })',
  },
  {
    name: 'a logout token for another client counts',
    adapter: 'koa',
    file: core('logout/backchannel-logout.ts'),
    find: "if (!audience.includes(provider.clientId)) throw invalid('is for another client')",
    replacement: '',
  },
  {
    name: 'a logout token counts twice',
    adapter: 'hono',
    file: core('logout/backchannel-logout.ts'),
    find: "if (!isFirst) throw invalid('has been used before')",
    replacement: 'await endSessions(context.storedSessions, claims)',
  },
  {
    name: 'a check that answers something truthy lets in',
    adapter: 'fastify',
    file: core('guard/failed-requirement.ts'),
    find: 'if (answer === true) return undefined',
    replacement: 'if (answer) return undefined',
  },
  {
    name: 'a body has no limit',
    adapter: 'hono',
    file: core('http/body.ts'),
    find: '      if (size > MAX_BODY_BYTES) throw bodyTooLarge()\n      chunks.push(chunk)',
    replacement: '      if (size < MAX_BODY_BYTES) chunks.push(chunk)',
  },
  {
    name: 'a session lives on after its absolute end',
    adapter: 'express',
    file: core('login/new-session.ts'),
    find: 'expiresAt: now + options.session.absoluteSeconds,',
    replacement: 'expiresAt: now + 10 * options.session.absoluteSeconds,',
  },
  {
    name: 'a write that another site sent passes a guard',
    adapter: 'fastify',
    file: core('http/sending-page.ts'),
    find: '(isWrite(request.method) && options.checksWrites)',
    replacement: '(isWrite(request.method) && !options.checksWrites)',
  },
  {
    name: 'a sibling host counts as the same site',
    adapter: 'koa',
    file: core('http/sending-page.ts'),
    find: "if (site === 'same-origin') return true",
    replacement: "if (site?.startsWith('same')) return true",
  },
  {
    name: 'trusting any origin turns off the check of the logout',
    adapter: 'hono',
    file: core('http/sending-page.ts'),
    find: 'if (origin === null) return false',
    replacement: 'if (!trustedOrigins.length) return true',
  },
  {
    name: 'a guard that is rehearsed lets visitors in',
    adapter: 'express',
    file: core('guard/guard.ts'),
    find: 'if (!current) return askToLogIn(',
    replacement: 'if (!current && requirement.enforce !== false) return askToLogIn(',
  },
  {
    name: 'auth.has() takes a promise for true',
    adapter: 'koa',
    file: core('guard/request-auth.ts'),
    find: 'if (!(failed instanceof Promise)) return failed === undefined',
    replacement: 'return failed !== "roles"',
  },
  {
    name: 'auth.has() takes a store that is down for nobody',
    adapter: 'hono',
    file: core('guard/request-auth.ts'),
    find: '    checkUserRequirement(asked)\n',
    replacement:
      '    checkUserRequirement(asked)\n    if (this.#source.session.failure) return false\n',
  },
  {
    name: 'the login recorder is there in production',
    adapter: 'express',
    file: core('development.ts'),
    find: 'if (!environment || !DEVELOPMENT.has(environment.NODE_ENV)) return false',
    replacement: 'if (!environment) return false',
  },
  {
    name: 'the login recorder is there behind a proxy',
    adapter: 'hono',
    file: core('development.ts'),
    find: 'if (OF_PROXIES.some((name) => headers.get(name) !== null)) return false',
    replacement: '',
  },
  {
    name: 'the login recorder shows the values of cookies',
    adapter: 'koa',
    file: core('development/redact.ts'),
    find: 'bytes(pair)',
    replacement: 'pair',
  },
  {
    name: 'personas log in for every machine',
    adapter: 'fastify',
    file: core('personas.ts'),
    find: 'if (!isLocalRequest(request, context.options.baseUrl)) {',
    replacement: 'if (!request) {',
  },
]
