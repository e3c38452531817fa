// With the start of the server: names every fault of the settings.
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { auth } = await import('./auth')
    auth.health()
  }
}
