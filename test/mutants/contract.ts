import * as runner from 'node:test'
import { describeAdapter } from '@latchkey/testing/adapter'

const [name = ''] = process.argv.slice(2)
const { createServer } = await import(`../../packages/${name}/test/support/application.ts`)

describeAdapter({ name, createServer, webhooks: true }, runner)
