import * as runner from 'node:test'
import { describeAdapter } from '@latchkey/testing/adapter'
import express from 'express'
import { serverOf } from '../../packages/express/test/support/application.ts'
import { createServer as fastify } from '../../packages/fastify/test/support/application.ts'
import { createServer as hono } from '../../packages/hono/test/support/application.ts'
import { createServer as koa } from '../../packages/koa/test/support/application.ts'
import { serverOf as nestjsOn } from '../../packages/nestjs/test/support/application.ts'

const nestjs = nestjsOn('express')
const adapters = { express: serverOf(express), fastify, hono, koa, nestjs }
const name = process.argv[2] as keyof typeof adapters

describeAdapter({ name, createServer: adapters[name], webhooks: true }, runner)
