import { runContract } from '../../../test/support/adapter-contract.ts'
import { createServer } from './support/application.ts'

runContract('Express 5', createServer)
