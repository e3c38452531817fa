import { createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express from 'express'
import { listening, options, port } from '../../../../test/bundles/applications/settings.js'

const app = express()
app.use(createAuthRouter(options))
app.get('/plan', requireUser(), (req, res) => void res.send(getUser(req).plan))
app.listen(port, listening)
