import { readTemplates, type TemplateTexts } from './eta.ts'

/** The templates of the hosted pages. The build copies them into this module, for bundles. */
export const templateTexts: TemplateTexts = readTemplates(new URL('templates/', import.meta.url))
