import type { Accents } from '../pages/accents.ts'
import { createTemplates } from '../pages/eta.ts'
import { initialOf } from '../pages/mark.ts'
import type { Language } from '../pages/texts/index.ts'
import { templateTexts } from './template-texts.ts'

/** The content of a message, in its reader's language. */
export interface MailContent {
  language: Language
  subject: string
  brand: string
  /** The absolute URL of an image to show instead of the brand. */
  logoUrl: string | undefined
  accents: { light: Accents; dark: Accents }
  greeting: string
  /** The line of a code, such as `Your code: 12345678`. */
  code: string | undefined
  text: string
  /** Our own sentence after the tenant's text. */
  safety: string | undefined
  button: string | undefined
  link: string | undefined
  linkFallback: string
  ignore: string
  support: string
  signature: string
}

const templates = createTemplates(templateTexts)

/** Functions that render a message as HTML and as plain text. */
export const mailTemplates = {
  html: (content: MailContent): string =>
    templates.render('./message', {
      ...content,
      initial: initialOf(content.brand),
      parts: content.code?.split(/(?<=: )/) ?? [],
    }),

  plain: (content: MailContent): string =>
    [
      content.greeting,
      content.code,
      content.text,
      content.safety,
      content.link && content.button ? `${content.button}:\n${content.link}` : '',
      content.ignore,
      content.support,
      content.signature,
    ]
      .filter((paragraph) => paragraph !== '' && paragraph !== undefined)
      .join('\n\n'),
}
