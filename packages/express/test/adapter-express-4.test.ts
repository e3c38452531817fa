/// <reference path="./support/express-4.d.ts" />
import express from 'express-4'
import { runContract } from '../../../test/support/adapter-contract.ts'
import { serverOf } from './support/application.ts'

runContract('Express 4', serverOf(express), ['memory', 'cookies'])
