import { handle } from 'hono/aws-lambda'
import { createApplication } from './application.ts'

/** The function as AWS Lambda calls it. */
// #region function
export const handler = handle(createApplication({ store: 'cookie' }))
// #endregion function
