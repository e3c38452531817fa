import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Eta } from 'eta'

/**
 * Templates as TypeScript, line by line: what a template reads is checked against its type, and so is what it gives to the
 * parts that it includes.
 *
 * @param folder - The templates.
 * @param types - The type that has what each of them reads, by its name, as `import('./module.ts').Name`.
 * @returns The texts by the names of their files.
 */
export function templatesAsTypes(folder: string, types: string): Record<string, string> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.eta'))
  return Object.fromEntries(
    files.map((file) => {
      const name = path.basename(file, '.eta')
      const text = readFileSync(path.join(folder, file), 'utf8')
      return [`${name}.ts`, `${headOf(name, types)}${codeOf(text)}}\n`]
    }),
  )
}

function headOf(name: string, types: string): string {
  const file = ['`./$', '{Name}`'].join('')
  return [
    `type Templates = ${types}; `,
    `export function template(it: Templates['${name}'], print: (value: string | number) => void, `,
    `include: <Name extends keyof Templates>(name: ${file}, data: Templates[Name]) => string) { `,
  ].join('')
}

/** The code of a template at its lines; of the text between, the line breaks alone. */
function codeOf(text: string): string {
  let code = ''
  let read = 0
  for (const part of new Eta().parse(text)) {
    if (typeof part === 'string') continue
    const at = text.indexOf(part.val, text.indexOf('<%', read))
    code += text.slice(read, at).replaceAll(/[^\n]/g, '')
    code += part.t === 'e' ? `${part.val};` : `print(${part.val});`
    read = at + part.val.length
  }
  return code
}
