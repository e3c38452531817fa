import * as runner from 'node:test'
import { describeLogin } from '@latchkey/testing/login'
import { createApp } from '../app.ts'

describeLogin(createApp, {}, runner)
