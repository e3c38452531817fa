import { type AuthRequest, type AuthResponse, targetOf } from '../http/request.ts'
import { escapeHtml, page } from '../http/responses.ts'
import { type Languages, translate } from '../texts/languages.ts'
import type { KeptForm } from './kept-form.ts'

/** The CSS of the fields: line breaks are kept, and a long value scrolls in its box. */
const STYLE =
  'dl{margin:0 0 1rem}dt{font-weight:650}dd{margin:0 0 .75rem;padding:.5rem .75rem;max-height:16rem;overflow:auto;white-space:pre-wrap;border:1px solid var(--edge);border-radius:.5rem}dd:empty::before{content:"–"}'

/** The page that shows the fields of a kept form, and asks whether to send the form. */
export function keptFormPage(
  form: KeptForm,
  request: AuthRequest,
  languages: Languages,
): AuthResponse {
  const { language, texts } = translate(languages, request)
  const fields = form.fields.map(([name, value]) => [escapeHtml(name), escapeHtml(value)] as const)
  const shown = fields.map(([name, value]) => `<dt>${name}</dt><dd dir="auto">${value}</dd>`)
  const sent = fields.map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
  )
  const leftOut = form.leftOut.map(escapeHtml).join(', ')
  return page({
    title: texts.askSend,
    language,
    namesOrigin: true,
    style: STYLE,
    body: [
      `<p>${escapeHtml(texts.notSentYet)}</p><dl>${shown.join('')}</dl>`,
      leftOut && `<p>${escapeHtml(texts.fieldsLeftOut)} ${leftOut}</p>`,
      `<form method="post" action="${escapeHtml(targetOf(request.url))}">${sent.join('')}`,
      `<button>${escapeHtml(texts.send)}</button></form>`,
      `<p class="back"><a href="${escapeHtml(form.from)}">${escapeHtml(texts.doNotSend)}</a></p>`,
    ].join(''),
  })
}
