import { runContract } from '../../../test/support/adapter-contract.ts'
import { serverOf } from './support/application.ts'

runContract('NestJS 12 on Express', serverOf('express'), ['memory'])
runContract('NestJS 12 on Fastify', serverOf('fastify'), ['cookies'])
