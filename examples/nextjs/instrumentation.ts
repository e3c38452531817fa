import { auth } from './auth'

// With the start of the server: names every fault of the settings.
export function register(): void {
  if (process.env.NEXT_RUNTIME === 'nodejs') auth.health()
}
