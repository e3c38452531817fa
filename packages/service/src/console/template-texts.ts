import { readTemplates, type TemplateTexts } from '../pages/eta.ts'

/**
 * The templates of the console. The build puts their texts into this module, so that a bundle
 * contains them.
 */
export const templateTexts: TemplateTexts = readTemplates(new URL('templates/', import.meta.url))
