import express from 'express'
import { runContract } from '../../../test/support/adapter-contract.ts'
import { serverOf } from './support/application.ts'

runContract('Express 5', serverOf(express))
