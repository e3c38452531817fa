import { readTemplates, type TemplateTexts } from '../pages/eta.ts'

/** The templates of messages. The build inlines them here, so that a bundle contains them. */
export const templateTexts: TemplateTexts = readTemplates(new URL('templates/', import.meta.url))
