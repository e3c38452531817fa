import { isLoopbackHost } from '../../domain/writes/addresses.ts'
import { asIs, message, type Text } from '../texts/index.ts'

/** The data of an application that its example code contains. */
export interface SnippetInput {
  readonly issuer: string
  readonly clientId: string
  /** The client secret; `undefined` while the page does not show it. */
  readonly clientSecret: string | undefined
  /** The key for the sessions of the application: 32 random bytes as text. */
  readonly sessionSecret: string
  readonly loginUrl: string
  readonly redirectUrls: readonly string[]
}

/** Example code for one framework. It runs as it is pasted. */
export interface KitApplication {
  /** The name in the ids of elements on the page, such as `express`. */
  readonly id: string
  readonly label: string
  /** The commands that make a folder and install the packages. */
  readonly install: string
  /** The file that the code is pasted into. */
  readonly file: string
  readonly code: string
  /** The command that starts the application. */
  readonly run: string
}

/** The environment of an application, and its example code for each framework. */
export interface KitSnippet {
  /** The lines of the file `.env`. */
  readonly environment: readonly Text[]
  /** The origin of the application. */
  readonly baseUrl: string
  readonly applications: readonly KitApplication[]
}

/**
 * Writes an example application that logs users in at the tenant, for each framework of the kit.
 */
export function kitSnippet(input: SnippetInput): KitSnippet {
  const { issuer, clientId, clientSecret, sessionSecret } = input
  const callback = URL.parse(input.redirectUrls[0] ?? '')
  const baseUrl = callback?.origin ?? 'http://localhost:3000'
  const place: Place = {
    options: optionsOf(input, baseUrl),
    port: portOf(new URL(baseUrl)),
    login: pathsOf(input, baseUrl).login,
  }
  return {
    environment: [
      asIs(`LATCHKEY_ISSUER=${issuer}`),
      asIs(`LATCHKEY_CLIENT_ID=${clientId}`),
      ...(clientSecret === undefined
        ? [
            message('# Press “Show the secret” above, and it stands here.'),
            asIs('LATCHKEY_CLIENT_SECRET='),
          ]
        : [asIs(`LATCHKEY_CLIENT_SECRET=${clientSecret}`)]),
      asIs(`LATCHKEY_BASE_URL=${baseUrl}`),
      '# Made for you just now; it is stored nowhere else.',
      asIs(`LATCHKEY_SESSION_SECRET=${sessionSecret}`),
    ],
    baseUrl,
    applications: [express(place), fastify(place), hono(place), koa(place), nestjs(place)],
  }
}

/** The parts of the code that depend on the URLs of the application. */
interface Place {
  /** The options of the kit as source text; empty if the environment has all of them. */
  readonly options: string
  readonly port: number
  /** The path of the login. */
  readonly login: string
}

const NODE = 'node --env-file=.env app.mjs'
const MADE = 'mkdir shop && cd shop && npm init -y'

const logOut = `'<form method="post" action="/logout"><button>Log out</button></form>'`
const logIn = (path: string) => literal(`<a href="${path}">Log in</a>`)

function express({ options, port, login }: Place): KitApplication {
  return {
    id: 'express',
    label: 'Express',
    install: `${MADE}\nnpm install @latchkey/express express`,
    file: 'app.mjs',
    code: `import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express from 'express'

const app = express()

app.use(createAuthRouter(${options}))

app.get('/', (req, res) => {
  res.send(req.auth.isAuthenticated ? ${logOut} : ${logIn(login)})
})

app.get('/account', requireUser(), (req, res) => {
  res.json(getUser(req))
})

app.listen(${port}, (error) => {
  if (error) throw error
  console.log('Listening on port ${port}')
})`,
    run: NODE,
  }
}

function fastify({ options, port, login }: Place): KitApplication {
  return {
    id: 'fastify',
    label: 'Fastify',
    install: `${MADE}\nnpm install @latchkey/fastify fastify`,
    file: 'app.mjs',
    code: `import { createAuth, getUser, requireUser } from '@latchkey/fastify'
import fastify from 'fastify'

const app = fastify()

await app.register(createAuth(${options}))

app.get('/', async (request, reply) => {
  reply.type('text/html')
  return request.auth.isAuthenticated ? ${logOut} : ${logIn(login)}
})

app.get('/account', { onRequest: requireUser() }, async (request) => getUser(request))

await app.listen({ port: ${port} })
console.log('Listening on port ${port}')`,
    run: NODE,
  }
}

function hono({ options, port, login }: Place): KitApplication {
  return {
    id: 'hono',
    label: 'Hono',
    install: `${MADE}\nnpm install @latchkey/hono hono @hono/node-server`,
    file: 'app.mjs',
    code: `import { serve } from '@hono/node-server'
import { createAuth, getUser, requireUser } from '@latchkey/hono'
import { Hono } from 'hono'

const app = new Hono()

app.use(createAuth(${options}))

app.get('/', (c) => c.html(c.var.auth.isAuthenticated ? ${logOut} : ${logIn(login)}))

app.get('/account', requireUser(), (c) => c.json(getUser(c)))

serve({ fetch: app.fetch, port: ${port} }, () => console.log('Listening on port ${port}'))`,
    run: NODE,
  }
}

function koa({ options, port, login }: Place): KitApplication {
  return {
    id: 'koa',
    label: 'Koa',
    install: `${MADE}\nnpm install @latchkey/koa koa @koa/router`,
    file: 'app.mjs',
    code: `import Router from '@koa/router'
import { createAuth, getAuth, getUser, requireUser } from '@latchkey/koa'
import Koa from 'koa'

const app = new Koa()
const router = new Router()

app.use(createAuth(${options}))

router.get('/', (ctx) => {
  ctx.body = getAuth(ctx).isAuthenticated ? ${logOut} : ${logIn(login)}
})

router.get('/account', requireUser(), (ctx) => {
  ctx.body = getUser(ctx)
})

app.use(router.routes())
app.listen(${port}, () => console.log('Listening on port ${port}'))`,
    run: NODE,
  }
}

function nestjs({ options, port, login }: Place): KitApplication {
  return {
    id: 'nestjs',
    label: 'NestJS',
    install:
      'npx @nestjs/cli new shop --package-manager npm && cd shop\nnpm install @latchkey/nestjs @latchkey/express',
    file: 'src/main.ts',
    code: `import { CurrentAuth, CurrentUser, LatchkeyModule, Public, type RequestAuth, type User } from '@latchkey/nestjs'
import { Controller, Get, Header, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'

@Controller()
class AppController {
  @Public() // Every other handler asks for a login.
  @Header('content-type', 'text/html')
  @Get()
  home(@CurrentAuth() auth: RequestAuth): string {
    return auth.isAuthenticated ? ${logOut} : ${logIn(login)}
  }

  @Get('account')
  account(@CurrentUser() user: User): User {
    return user
  }
}

@Module({ imports: [LatchkeyModule.forRoot(${options})], controllers: [AppController] })
class AppModule {}

async function start(): Promise<void> {
  const app = await NestFactory.create(AppModule)
  await app.listen(${port})
  console.log('Listening on port ${port}')
}

void start()`,
    run: 'npx nest start --env-file .env',
  }
}

/**
 * The port that the example listens on: the port of a loopback URL over http, or 3000. An
 * application at another URL runs behind a proxy.
 */
function portOf({ hostname, port, protocol }: URL): number {
  if (protocol !== 'http:' || !isLoopbackHost(hostname)) return 3_000
  return port === '' ? 80 : Number(port)
}

/**
 * The options that the environment does not have, as source text: the routes whose paths differ
 * from those of the kit.
 */
function optionsOf(input: SnippetInput, baseUrl: string): string {
  const own = Object.entries(pathsOf(input, baseUrl))
    .filter(([name, path]) => path !== `/${name}`)
    .map(([name, path]) => `${name}: ${literal(path)}`)
  return own.length === 0 ? '' : `{ routes: { ${own.join(', ')} } }`
}

/**
 * The paths of the login and the callback: those of the application's URLs, or the defaults of the
 * kit.
 */
function pathsOf({ loginUrl, redirectUrls }: SnippetInput, baseUrl: string) {
  const login = URL.parse(loginUrl)
  const callback = URL.parse(redirectUrls[0] ?? '')
  const own = (url: URL | null, usual: string) =>
    url && url.origin === baseUrl && url.pathname !== '/' ? url.pathname : usual
  return { login: own(login, '/login'), callback: own(callback, '/callback') }
}

/**
 * A text as a string literal in single quotes. The text is or contains the path of a URL, which has
 * no backslash and may have its quotes percent-encoded.
 */
function literal(path: string): string {
  return `'${path.replace(/'/g, '%27')}'`
}
