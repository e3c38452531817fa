import { Eta } from 'eta'
import { forms } from './forms.ts'
import { field, layout, note, wayOn } from './layout.ts'
import { messages } from './messages.ts'

/** All templates, compiled once. Whatever they print with `<%=` is escaped. */
export const templates: Eta = new Eta({ autoEscape: true })

for (const [name, text] of Object.entries({
  layout,
  note,
  wayOn,
  field,
  ...forms,
  ...messages,
})) {
  templates.loadTemplate(`@${name}`, text)
}
