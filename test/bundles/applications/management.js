import { createManagementClient } from '@latchkey/management'

// Creates a user at a real service, and finds it in the list.
async function start() {
  const client = createManagementClient({
    baseUrl: process.env.SERVICE_URL,
    apiKey: process.env.API_KEY,
  })
  const users = client.users(process.env.TENANT_ID)
  await users.create({ profile: { email: process.env.EMAIL } })
  for await (const { profile } of users.list()) {
    if (profile.email === process.env.EMAIL) process.stdout.write(profile.email)
  }
}
void start()
