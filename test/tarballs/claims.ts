import { z } from 'zod'

// One declaration names the schema. From then on the user has its type in every file, and under every framework.

export const claims = z.object({
  sub: z.string(),
  email: z.email(),
  plan: z.enum(['free', 'gold']),
  roles: z.array(z.enum(['admin', 'viewer'])),
})

// #region types
declare module '@latchkey/express' {
  interface AppTypes {
    claims: typeof claims
  }
}
// #endregion

export type Plan = 'free' | 'gold'
