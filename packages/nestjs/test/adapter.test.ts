import { runContract } from '../../../test/support/adapter-contract.ts'
import { createServer, serverOf } from './support/application.ts'

runContract('NestJS 12 on Express', createServer, ['memory'])
runContract('NestJS 12 on Fastify', serverOf('fastify'), ['cookies'])
