import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Eta } from 'eta'

/** The texts of templates, by name. */
export type TemplateTexts = Readonly<Record<string, string>>

/** Reads the `.eta` files of a folder. The result has their names without the extension. */
export function readTemplates(folder: URL): TemplateTexts {
  const files = readdirSync(folder).filter((file) => file.endsWith('.eta'))
  const read = (file: string) => readFileSync(new URL(file, folder), 'utf8')
  return Object.fromEntries(files.map((file) => [path.basename(file, '.eta'), read(file)]))
}

/**
 * Creates a template engine, which compiles each template once. Templates can include each other by
 * `./name`. `<%=` escapes its value.
 */
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
