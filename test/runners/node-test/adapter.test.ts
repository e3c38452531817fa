import * as runner from 'node:test'
import { describeAdapter } from '@latchkey/testing/adapter'
import express from 'express'
import { serverOf } from '../../../packages/express/test/support/application.ts'

describeAdapter({ name: 'Express', createServer: serverOf(express) }, runner)
