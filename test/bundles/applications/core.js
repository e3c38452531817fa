import { createServer } from 'node:http'
import { createAuth } from '@latchkey/core'
import { nodePlatform } from '@latchkey/core/node'
import { listening, options, port } from './settings.js'
import { serve } from './web.js'

const auth = createAuth(options, nodePlatform())
const answer = (request) => auth.fetch(request, (visit) => new Response(visit.user().plan))
createServer(serve(answer)).listen(port, listening)
