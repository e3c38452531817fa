import { fileURLToPath } from 'node:url'
import { Eta } from 'eta'
import type { Look, PageName, Pages } from './pages.ts'
import { stylesheet } from './style.ts'
import { type Language, type TextKey, type Translate, translator } from './texts/index.ts'

/** The templates of `templates/`, each compiled once. They escape what they print with `<%=`. */
const templates = new Eta({
  views: fileURLToPath(new URL('templates', import.meta.url)),
  autoEscape: true,
  cache: true,
})

const titles: { [Name in PageName]: TextKey | undefined } = {
  login: 'loginTitle',
  loginCode: 'loginCodeTitle',
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
  deleteAccount: 'deletionTitle',
  selectAccount: 'selectTitle',
  signup: 'signupTitle',
  checkMail: 'checkMailTitle',
  verify: 'verifyTitle',
  resetRequest: 'resetRequestTitle',
  reset: 'resetTitle',
  confirmLogout: 'logoutTitle',
  message: undefined,
  outbox: 'outboxTitle',
}

/** Renders a hosted page as a whole HTML document. */
export function renderPage<Name extends PageName>(
  name: Name,
  look: Look & { language: Language },
  page: Pages[Name],
): string {
  const t = translator(look.language)
  const brand = look.logoText || look.companyName
  return templates.render('./layout', {
    look,
    title: titleOf(name, look, page, t),
    brand,
    initial: [...brand][0]?.toUpperCase() ?? '',
    wide: name === 'outbox',
    style: stylesheet,
    script: scriptOf(page),
    support: look.supportEmail && t('support').split('{email}'),
    body: templates.render(fileOf(name), { ...page, look, t }),
  })
}

/** The path of the script that runs on a page, if there is one. */
export function scriptOf(page: Pages[PageName]): string | undefined {
  return 'script' in page ? page.script : undefined
}

function titleOf(name: PageName, look: Look, page: Pages[PageName], t: Translate): string {
  if (name === 'login' && !look.companyName) return t('loginTitlePlain')
  const key = titles[name] ?? (page as Pages['message']).title
  return t(key, { company: look.companyName })
}

function fileOf(name: PageName): string {
  return `./${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
