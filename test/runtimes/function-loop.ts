import type { LambdaEvent } from 'hono/aws-lambda'
import { handler } from './function.ts'

/**
 * Takes one invocation after the other and answers it, as Lambda's runtime for Node does.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
const invocations = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`
for (;;) {
  const next = await fetch(`${invocations}/next`)
  const id = next.headers.get('lambda-runtime-aws-request-id')
  try {
    await post('response', await handler((await next.json()) as LambdaEvent))
  } catch (error) {
    const { name, message } = error as Error
    await post('error', { errorType: name, errorMessage: message })
  }

  async function post(outcome: 'response' | 'error', body: object): Promise<void> {
    await fetch(`${invocations}/${id}/${outcome}`, { method: 'POST', body: JSON.stringify(body) })
  }
}
