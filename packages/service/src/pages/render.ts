import { createTemplates } from './eta.ts'
import type { HostedTemplates, ShownProblem } from './hosted-templates.ts'
import { iconOf } from './icons.ts'
import { brandName, initialOf } from './mark.ts'
import type { ActingBanner, Branding, PageName, Pages } from './pages.ts'
import { broughtBackScript, copyScript, passwordScript } from './scripts.ts'
import { pageHeaders, styleOf } from './style.ts'
import { templateTexts } from './template-texts.ts'
import { fillIn, type Language, type TextKey, type Translate, translator } from './texts/index.ts'

const templates = createTemplates(templateTexts)

const titles: { [Name in PageName]: TextKey | undefined } = {
  login: 'loginTitle',
  loginCode: 'loginCodeTitle',
  socialAddress: 'verifyTitle',
  factor: 'factorTitle',
  enrolApp: 'enrolAppTitle',
  enrolMail: 'enrolMailTitle',
  enrolKey: 'enrolKeyTitle',
  recoveryCodes: 'recoveryTitle',
  security: 'securityTitle',
  account: 'accountTitle',
  profile: 'accountProfile',
  changeEmail: 'changeEmailTitle',
  changePassword: 'changePasswordTitle',
  sessions: 'sessionsTitle',
  access: 'accessTitle',
  deleteAccount: 'deletionTitle',
  selectAccount: 'selectTitle',
  consent: 'consentTitle',
  deviceCode: 'deviceTitle',
  deviceConsent: 'deviceAskTitle',
  signup: 'signupTitle',
  checkMail: 'checkMailTitle',
  verify: 'verifyTitle',
  undo: 'undoTitle',
  contest: 'contestTitle',
  resetRequest: 'resetRequestTitle',
  reset: 'resetTitle',
  confirmLogout: 'logoutTitle',
  message: undefined,
  outbox: 'outboxTitle',
  impersonate: 'impersonateTitle',
  support: 'supportTitle',
}

/** Renders a hosted page as a whole HTML document, with its headers. */
export function renderPage<Name extends PageName>(
  name: Name,
  branding: Branding & { language: Language },
  page: Pages[Name],
  acting?: ActingBanner | undefined,
): { html: string; headers: Record<string, string> } {
  const t = translator(branding.language)
  const style = styleOf(branding)
  const brand = brandName(branding)
  const help = ownTextOf(name, 'text', branding)
  const body = templates.render(fileOf(name), { ...page, branding, help, t, ...problemIn(page, t) })
  const scripts = scriptsOf(page, body)
  const layout: HostedTemplates['layout'] = {
    branding,
    title: titleOf(name, branding, page, t),
    brand,
    icon: iconOf(name, page),
    initial: initialOf(brand),
    wide: name === 'outbox',
    style: style.css,
    scripts,
    acting: acting && {
      ...acting,
      text: t('actingBanner', { email: acting.email, time: acting.time }),
      end: t('actingEnd'),
    },
    support: branding.supportEmail && t('support').split('{email}'),
    body,
  }
  const html = templates.render('./layout', layout)
  const headers = pageHeaders(style, branding.logoUrl, scripts.length > 0)
  return { html, headers: { ...headers, 'content-language': branding.language } }
}

/** The problem of a page as a sentence, for the whole page or for one field. */
function problemIn(page: Pages[PageName], t: Translate): ShownProblem {
  const found = 'problem' in page ? page.problem : undefined
  const field = found?.field
  const text = found && t(found.text, found.values)
  return {
    problem: field === undefined ? text : undefined,
    at: (name, isStart = false) => ({
      name,
      focus: field === undefined ? isStart : field === name,
      problem: field === name ? text : undefined,
    }),
  }
}

/** The paths of the scripts that run on a page. */
function scriptsOf(page: Pages[PageName], body: string): string[] {
  const own = 'script' in page ? page.script : undefined
  const further = [
    ...(body.includes(' data-show-password') ? [passwordScript.path] : []),
    ...(body.includes(' data-copy') ? [copyScript.path] : []),
  ]
  const scripts = [own, ...further].filter((path) => path !== undefined)
  return scripts.length > 0 ? [...scripts, broughtBackScript.path] : []
}

/** The tenant's own title or help text of a page; `undefined` if the tenant has set none. */
function ownTextOf(
  name: PageName,
  part: 'title' | 'text',
  { texts, language, companyName }: Branding & { language: Language },
): string | undefined {
  const text = texts?.[language]?.[`${name}_${part}`]
  return text && fillIn(text, { company: companyName })
}

function titleOf(
  name: PageName,
  branding: Branding & { language: Language },
  page: Pages[PageName],
  t: Translate,
): string {
  const own = ownTextOf(name, 'title', branding)
  if (own) return own
  // The title need not repeat a name that is at the top of the page.
  const isNamed = !branding.logoUrl && brandName(branding) === branding.companyName
  if (name === 'login' && (isNamed || !branding.companyName)) return t('loginTitlePlain')
  const key = titles[name] ?? (page as Pages['message']).title
  return t(key, { company: branding.companyName })
}

function fileOf(name: PageName): string {
  return `./${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
