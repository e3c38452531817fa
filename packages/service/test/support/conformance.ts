import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { routes } from '../../src/http/app.ts'
import { openApiDocument } from '../../src/http/openapi.ts'
import type { Answer } from './api.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is walked as plain JSON
const document: any = openApiDocument(routes)
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi')

const paths = Object.keys(document.paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}))

/** Expects of every answer that it is what the OpenAPI document says of its operation. */
export function checkConformance(method: string, target: string, answer: Answer): void {
  const { pathname } = new URL(target, 'https://api.example')
  if (!/^(\/x)?\/v1\/(?!openapi)/.test(`${pathname}/`) || method === 'HEAD') return

  const path = paths.find(({ pattern }) => pattern.test(pathname))?.path
  if (answer.status === 200) expect(path, `${method} ${target} is documented`).toBeDefined()
  const schema =
    answer.status === 200
      ? `#/paths/${pointer(path ?? '')}/${method.toLowerCase()}/responses/200/content/application~1json/schema`
      : '#/components/schemas/Error'
  const validate = ajv.getSchema(`openapi${encodeURI(schema)}`) as ValidateFunction
  expect(
    validate(answer.body) || validate.errors,
    `${method} ${target} → ${answer.status} ${JSON.stringify(answer.body)}`,
  ).toBe(true)
}

function pointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
