import { runContract } from '../../../test/support/adapter-contract.ts'
import { createServer } from './support/application.ts'

runContract('Fastify 5', createServer, ['memory', 'cookies'])
