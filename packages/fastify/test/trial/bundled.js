import { createAuth, getUser, requireUser } from '@latchkey/fastify'
import { fastify } from 'fastify'
import { listening, options, port } from '../../../../test/bundles/applications/settings.js'

const app = fastify()
app.register(createAuth(options))
app.get('/plan', { onRequest: requireUser() }, async (request) => getUser(request).plan)
app.listen({ port, host: 'localhost' }, listening)
