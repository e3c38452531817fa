import type { logIn } from '@latchkey/testing'
import { z } from 'zod'

// Applications in TypeScript that know the kit from its tarballs alone: they are compiled with
// `skipLibCheck: false`, and they run. Each adapter has one in its folder `test/trial`.

/** Options of an application from an identity of `@latchkey/testing`. */
export interface Client {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly baseUrl: string
  readonly fetch: typeof fetch
}

/** An application as a test of its author takes it. */
export type App = Parameters<typeof logIn>[0]

export const claims = z.object({ sub: z.string(), plan: z.enum(['free', 'gold']) })

export const session = { secret: 'a secret of tests that protects nothing' }
