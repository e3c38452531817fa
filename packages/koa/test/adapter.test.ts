import { runContract } from '../../../test/support/adapter-contract.ts'
import { createServer } from './support/application.ts'

runContract('Koa 3', createServer, ['Redis', 'cookies'])
