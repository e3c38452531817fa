import { runContract } from '../../../test/support/adapter-contract.ts'
import { createServer } from './support/application.ts'

runContract('Hono 4', createServer, ['Redis', 'cookies'])
