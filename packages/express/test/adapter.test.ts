/// <reference path="./support/express-4.d.ts" />
import express5 from 'express'
import express4 from 'express-4'
import { runContract } from '../../../test/support/adapter-contract.ts'
import { serverOf } from './support/application.ts'

runContract('Express 5', serverOf(express5))
runContract('Express 4', serverOf(express4))
