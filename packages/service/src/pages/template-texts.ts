import { readTemplates, type TemplateTexts } from './eta.ts'

/**
 * The templates of the hosted pages. The build inlines them here, so that a bundle contains them.
 */
export const templateTexts: TemplateTexts = readTemplates(new URL('templates/', import.meta.url))
