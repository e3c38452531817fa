import { auth } from '../../../auth'

// 401 for a visitor, 403 for a user without the role.
export const GET = auth.route({ roles: ['staff'] }, async () => {
  const user = await auth.getUser()
  return Response.json({ email: user.email })
})
