import { createAuth } from '@latchkey/nextjs'

// Settings come from the environment, with the first request.
export const auth = createAuth()
