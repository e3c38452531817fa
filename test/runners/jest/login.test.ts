import { describeLogin } from '@latchkey/testing/login'
import { createApp } from '../app.ts'

// Jest has its functions in the globals, where the suite looks for them.
describeLogin(createApp)
