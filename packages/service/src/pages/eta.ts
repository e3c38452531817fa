import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Eta } from 'eta'

/** Templates by name. */
export type TemplateTexts = Readonly<Record<string, string>>

/** Reads the templates of a folder. */
export function readTemplates(folder: URL): TemplateTexts {
  const files = readdirSync(folder).filter((file) => file.endsWith('.eta'))
  const read = (file: string) => readFileSync(new URL(file, folder), 'utf8')
  return Object.fromEntries(files.map((file) => [path.basename(file, '.eta'), read(file)]))
}

/** Makes templates, each compiled once. They can include each other by `./name`, and escape what `<%=` prints. */
export function createTemplates(texts: TemplateTexts): Eta {
  const templates = new Eta({ autoEscape: true, cache: true })
  templates.resolvePath = (name) => name.replace('./', '')
  templates.readFile = (name) => {
    const text = texts[name]
    if (text === undefined) throw new Error(`No template is named ${name}.`)
    return text
  }
  return templates
}
