import { type AuthOptions, createAuthRouter, getUser, requireUser } from '@latchkey/express'
import express, { type Express } from 'express'

/** A site on which long texts are written. */
export function createApp(connection: AuthOptions): Express {
  const app = express()
  // #region keep
  app.use(createAuthRouter({ ...connection, keepForms: { except: ['cardNumber'] } }))
  // #endregion

  app.use(express.urlencoded({ extended: false }))
  app.get('/letters', requireUser(), (_req, res) => {
    res.send('<form method="post"><textarea name="text"></textarea><button>Send</button></form>')
  })
  app.post('/letters', requireUser(), (req, res) => {
    res
      .type('text')
      .send(`${getUser(req).sub} wrote ${req.body.text}, ${req.body.cardNumber ?? 'no card'}`)
  })
  return app
}
