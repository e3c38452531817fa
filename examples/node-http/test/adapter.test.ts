import { runContract } from '../../../test/support/adapter-contract.ts'
import { createServer } from './support/application.ts'

runContract('node:http', createServer, ['memory', 'cookies'])
