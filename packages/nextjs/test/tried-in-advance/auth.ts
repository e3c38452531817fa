import { createAuth } from '@latchkey/nextjs'

export const auth = createAuth(() => {
  process.stdout.write('the options were made\n')
  return {}
})
