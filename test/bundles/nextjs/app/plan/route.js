import { auth } from '../../auth.js'

export const GET = auth.route({}, async () => new Response((await auth.getUser()).plan))
