import { auth } from '../../../auth.ts'

export const GET = auth.route({ roles: ['staff'] }, async () => {
  return Response.json(await auth.getUser())
})
