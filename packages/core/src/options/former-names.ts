const ALWAYS = 'Leave it out: the kit does this by itself.'
const NONE = 'Leave it out: there is nothing like it here.'
const RECORDS = 'Leave it out: the kit decides when sessions are written.'
const DISCOVERED = 'Leave it out: the provider is found by "issuer" alone.'

/**
 * The options of other libraries, each with its equivalent here: the name of our option, or a
 * sentence.
 */
export const FORMER_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'express-openid-connect': {
    issuerBaseURL: 'issuer',
    baseURL: 'baseUrl',
    clientID: 'clientId',
    secret: 'session.secret',
    authRequired: 'Put app.use(requireUser()) after the router, or requireUser() before a route.',
    errorOnRequiredAuth: `Use requireUser({ respond: 'json' }).`,
    attemptSilentLogin: 'silentLogin',
    idpLogout:
      'Leave it out: a logout ends at the provider too, unless you call req.auth.logout({ federated: false }).',
    auth0Logout:
      'Leave it out: a logout ends at the provider too, unless you call req.auth.logout({ federated: false }).',
    backchannelLogout: 'It is on; "routes.backchannelLogout: false" turns it off.',
    onLogoutToken: 'hooks.onLogoutToken',
    afterCallback: 'hooks.afterCallback',
    identityClaimFilter: 'Use the hook "hooks.afterCallback" to leave claims out.',
    getLoginState: 'Pass "returnTo" to req.auth.login(), and keep other data in req.session.',
    clientAuthMethod: 'clientAuth',
    clientAssertionSigningKey: 'clientKey',
    clientAssertionSigningAlg: 'clientAssertion.algorithm',
    idTokenSigningAlg: ALWAYS,
    discoveryCacheMaxAge: ALWAYS,
    requestObjectSigningKey: NONE,
    requestObjectSigningAlg: NONE,
    requestObjectSigningKeyId: NONE,
    transactionCookie: ALWAYS,
    legacySameSiteCookie: NONE,
    clockTolerance: NONE,
    enableTelemetry: NONE,
    httpUserAgent: NONE,
    tokenEndpointParams: 'tokenParams',
    useMtls: NONE,
    httpTimeout: 'It is "timeoutSeconds" here, in seconds.',
    customFetch: 'fetch',
    'routes.postLogoutRedirect': 'routes.loggedOut',
    'session.rollingDuration': 'session.idleSeconds',
    'session.absoluteDuration': 'session.absoluteSeconds',
    'session.signSessionStoreCookie': ALWAYS,
    'session.requireSignedSessionStoreCookie': ALWAYS,
  },
  'passport-openidconnect': {
    authorizationURL: DISCOVERED,
    tokenURL: DISCOVERED,
    userInfoURL: DISCOVERED,
    callbackURL: 'It is "baseUrl" and "routes.callback" here.',
    passReqToCallback: NONE,
    skipUserProfile: 'It is "userinfo" here: "never" or "login".',
    sessionKey: NONE,
    acrValues: `Use requireUser({ acr }), or "authorizationParams".`,
    prompt: 'Use req.auth.login({ prompt }).',
    maxAge: 'Use requireUser({ maxAge }), or req.auth.login({ maxAge }).',
    loginHint: 'Add ?login_hint=… to the address of the login.',
    uiLocales: 'Add ?ui_locales=… to the address of the login.',
    display: 'Put it into "authorizationParams".',
    idTokenHint:
      'Put id_token_hint into "authorizationParams", or use the hook "hooks.beforeLogin".',
    nonce: ALWAYS,
    state: ALWAYS,
    customHeaders: 'fetch',
    agent: 'fetch',
    proxy: 'Leave it out: "baseUrl" says whether visitors come over https.',
  },
  'express-session': {
    store: 'session.store',
    cookie: 'session.cookie',
    'session.name': 'session.cookie.name',
    'session.rolling':
      'Sessions roll always; "session.idleSeconds" says how long they may be idle.',
    'session.genid': ALWAYS,
    'session.resave': RECORDS,
    'session.saveUninitialized': RECORDS,
    'session.unset': RECORDS,
    'session.proxy': 'Leave it out: "baseUrl" says whether visitors come over https.',
    'session.cookie.maxAge': 'It is "session.idleSeconds" and "session.absoluteSeconds" here.',
    'session.cookie.secure': ALWAYS,
    'session.cookie.httpOnly': ALWAYS,
    'session.cookie.domain': NONE,
    'session.cookie.path': NONE,
    'session.cookie.transient': NONE,
    sessionSecret: 'session.secret',
  },
  'Auth.js': {
    providers:
      'It is one provider here, as "issuer", "clientId" and "clientSecret"; "issuer" may be a function.',
    trustHost: 'Leave it out: "baseUrl" says which host the application has.',
    basePath: 'It is "routes" here: { login: "/auth/login", callback: "/auth/callback" }.',
    callbacks:
      'They are "hooks" here: "afterCallback" for a login, "onSession" for the data of a session.',
    events: 'Use "hooks", or the events on the diagnostics channels.',
    adapter: 'It is "session.store" here.',
    pages: 'It is "routes" here; the hook "hooks.onError" answers with a page of your own.',
    wellKnown: 'discoveryUrl',
    jwt: 'Leave it out: "session.store" says where sessions are.',
    debug: 'It is "logger" here; a failed login is logged with its reason.',
    cookies: 'It is "session.cookie" here.',
    useSecureCookies: ALWAYS,
    theme: NONE,
    skipCSRFCheck: NONE,
    raw: NONE,
    redirectProxyUrl: NONE,
    experimental: NONE,
    'session.strategy': 'It is "session.store" here.',
    'session.maxAge': 'It is "session.idleSeconds" and "session.absoluteSeconds" here.',
    'session.updateAge': ALWAYS,
    'session.generateSessionToken': ALWAYS,
  },
  Passport: {
    failureRedirect: 'Use the hook "hooks.onError": it sends the visitor on.',
    successRedirect: 'returnTo.default',
  },
  Auth0: {
    domain: 'It is "issuer" here, as an address: https://your-domain.',
    appBaseUrl: 'baseUrl',
  },
  'OAuth 2.0 and OpenID Connect': {
    resource: 'resources',
    audience:
      'It is "bearer.audience" for tokens that requests bring, and in "authorizationParams" for those that a login asks for.',
    redirectUri: 'It is "baseUrl" and "routes.callback" here.',
    client_id: 'clientId',
    client_secret: 'clientSecret',
    redirect_uri: 'It is "baseUrl" and "routes.callback" here.',
    scopes: 'It is "scope" here: one string with spaces.',
  },
}

/** The equivalents of all libraries together, for the report of an unknown option. */
export const EQUIVALENTS: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.values(FORMER_NAMES),
)
