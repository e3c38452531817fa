import { createSessionStore } from '@latchkey/session-store'
import { RedisStore } from 'connect-redis'
import expressSession from 'express-session'

/** Keeps a session of express-session at the address of its one argument, and reads it back. */
function keepOne(): void {
  const store = createSessionStore({
    url: process.argv[2] ?? '',
    secret: 'a secret of the tests, 32 characters long',
  })
  const sessions = store.forExpressSession({ RedisStore })
  const cookie = new expressSession.Cookie()
  sessions.set('of a process', { cart: 1, cookie: { ...cookie, path: '/' } }, () => {
    sessions.get('of a process', (_, found) => {
      process.stdout.write(`read back ${found?.cart}\n`)
      void store.close()
    })
  })
}

keepOne()
