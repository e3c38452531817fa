import { describeAdapter } from '@latchkey/testing/adapter'
import express from 'express'
import { serverOf } from '../../../packages/express/test/support/application.ts'

// Jest has its functions in the globals, where the suite looks for them.
describeAdapter({ name: 'Express', createServer: serverOf(express) })
