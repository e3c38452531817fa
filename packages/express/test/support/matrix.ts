/// <reference path="./express-4.d.ts" />
import { basename } from 'node:path'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import express4 from 'express-4'
import { expect } from 'vitest'
import { STORES, type StoreName } from './stores.ts'

/** What the login suite runs on. */
export interface Combination {
  readonly store: StoreName
  /** The major version of Express. */
  readonly version: 4 | 5
}

/** Every combination of a store and a version of Express. */
export const COMBINATIONS: readonly Combination[] = STORES.flatMap((store) => [
  { store, version: 5 as const },
  { store, version: 4 as const },
])

/**
 * What a test file runs on: what `LATCHKEY_MATRIX` names, as `redis-4`. Without it the combinations are
 * spread over the files by their names, so that an ordinary run meets each of them.
 */
export function combinationOf(file: string): Combination {
  const named = process.env.LATCHKEY_MATRIX
  const chosen = named
    ? COMBINATIONS.find(({ store, version }) => named === `${store}-${version}`)
    : COMBINATIONS[sum(basename(file)) % COMBINATIONS.length]
  if (!chosen) throw new TypeError(`LATCHKEY_MATRIX is "${named}"; "redis-4" is a right value`)
  return chosen
}

/** The combination of the test file that is running. */
export function currentCombination(): Combination {
  return combinationOf(expect.getState().testPath ?? '')
}

/** Makes an application, in the version of Express of the test file that is running. */
export function createApp(): Express {
  return currentCombination().version === 4 ? catchRejections(express4()) : express()
}

/** Hands on what an async handler rejects with, as applications on Express 4 do for themselves. */
function catchRejections(app: Express): Express {
  for (const method of ['use', 'get', 'post'] as const) {
    const add = app[method].bind(app) as (...args: unknown[]) => Express
    Object.assign(app, { [method]: (...args: unknown[]) => add(...args.map(catching)) })
  }
  return app
}

function catching(handler: unknown): unknown {
  if (typeof handler !== 'function' || handler.length > 3) return handler
  return (req: Request, res: Response, next: NextFunction) => {
    const result: unknown = handler(req, res, next)
    if (result instanceof Promise) result.catch(next)
  }
}

function sum(text: string): number {
  return Buffer.from(text).reduce((total, byte) => total + byte, 0)
}
