import { readTemplates, type TemplateTexts } from '../pages/eta.ts'

/** The templates of messages. The build copies them into this module, for bundles. */
export const templateTexts: TemplateTexts = readTemplates(new URL('templates/', import.meta.url))
