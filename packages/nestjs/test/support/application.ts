import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import {
  type AuthOptions,
  createWebhookHandler,
  getAuth,
  getData,
  getUser,
  LatchkeyModule,
  Public,
  RequireUser,
} from '@latchkey/nestjs'
import type {
  AdapterUnderTest,
  TestAnswer,
  TestApplication,
  TestRoute,
} from '@latchkey/testing/adapter'
import {
  type ArgumentsHost,
  Body,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  HttpCode,
  type HttpServer,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Post,
  Req,
  Res,
  StreamableFile,
} from '@nestjs/common'
import { type AbstractHttpAdapter, HttpAdapterHost, NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { json, type Response, urlencoded } from 'express'
import type { FastifyReply } from 'fastify'

type Platform = 'express' | 'fastify'

/** Makes servers of Nest on Express, its usual platform. */
export const createServer: AdapterUnderTest['createServer'] = (options, application) =>
  serverOf('express')(options, application)

/** Makes servers of Nest on one platform. */
export function serverOf(platform: Platform): AdapterUnderTest['createServer'] {
  return async (options, application) => {
    const isExpress = platform === 'express'
    const adapter = isExpress ? new ExpressAdapter() : new FastifyAdapter()
    // Fastify parses behind the kit. It answers a form that it has no parser for before any guard of Nest.
    const parser = isExpress ? application.parser : 'before'
    const app = await NestFactory.create(
      rootModule(options, { ...application, parser }),
      adapter as AbstractHttpAdapter,
      {
        logger: false,
        abortOnError: false,
        bodyParser: parser === 'before',
      },
    )
    const { inFront = [], onError, webhook } = application
    app.use((_req: IncomingMessage, res: ServerResponse, next: () => void) => {
      for (const [name, value] of inFront) res.appendHeader(name, value)
      next()
    })
    if (webhook) app.use(webhook.path, createWebhookHandler(webhook.options))
    if (onError) app.useGlobalFilters(catchAll(onError, app.getHttpAdapter()))
    await app.init()
    if (!isExpress) await app.getHttpAdapter().getInstance().ready()
    return app.getHttpServer()
  }
}

function rootModule(options: object, { routes, parser }: TestApplication): object {
  class RootModule implements NestModule {
    configure(consumer: MiddlewareConsumer): void {
      if (parser === 'after') consumer.apply(json(), urlencoded()).forRoutes('{*path}')
    }
  }
  const controllers = routes.map(controllerOf)
  Module({
    imports: [LatchkeyModule.forRoot(options as AuthOptions)],
    controllers: controllers as never[],
  })(RootModule)
  return RootModule
}

/** A controller of one route. Decorators are functions; with the syntax, a compiler calls them. */
function controllerOf({ method, path, requirement, handle }: TestRoute): object {
  class RouteController {
    readonly #adapter: HttpServer

    constructor(host: HttpAdapterHost) {
      this.#adapter = host.httpAdapter
    }

    async answer(request: object, response: object, body: unknown): Promise<unknown> {
      const given = { auth: getAuth(request), user: () => getUser(request), data: getData(request) }
      return send(this.#adapter, response, await handle({ ...given, request, body }))
    }
  }
  const { prototype } = RouteController
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'answer') as never
  Reflect.defineMetadata('design:paramtypes', [HttpAdapterHost], RouteController)
  const Route = { get: Get, post: Post }[method]
  for (const decorate of [
    Route(path),
    HttpCode(200),
    requirement ? RequireUser(requirement) : Public(),
  ]) {
    decorate(prototype, 'answer', descriptor)
  }
  Req()(prototype, 'answer', 0)
  Res({ passthrough: true })(prototype, 'answer', 1)
  Body()(prototype, 'answer', 2)
  Controller()(RouteController)
  return RouteController
}

/** Adds a cookie: Express and the reply of Fastify say it differently. */
function addCookie(response: object, value: string): void {
  if ('append' in response) (response as Response).append('set-cookie', value)
  else (response as FastifyReply).header('set-cookie', value)
}

function send(adapter: HttpServer, response: object, answer: TestAnswer): unknown {
  const { status = 200, headers = [], body } = answer
  adapter.status?.(response, status)
  for (const [name, value] of headers) {
    if (name === 'set-cookie') addCookie(response, value)
    else adapter.setHeader?.(response, name, value)
  }
  return body instanceof Readable ? new StreamableFile(body) : body
}

/** A filter of the application for every error. */
function catchAll(onError: (error: unknown) => TestAnswer, adapter: HttpServer): ExceptionFilter {
  class CatchAll {
    catch(error: unknown, host: ArgumentsHost): void {
      const { status = 500, body } = onError(error)
      adapter.reply(host.switchToHttp().getResponse(), body, status)
    }
  }
  Catch()(CatchAll)
  return new CatchAll()
}
