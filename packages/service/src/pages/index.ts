export { accentsOf } from './accents.ts'
export { markHeaders, markOf, markPaths } from './mark.ts'
export type {
  ActingBanner,
  Branding,
  ForDevelopers,
  LoginWay,
  PageLink,
  PageName,
  Pages,
  PasswordRules,
  Problem,
  ShownConnections,
} from './pages.ts'
export { renderPage } from './render.ts'
export {
  chooseAllScript,
  copyScript,
  keyScript,
  localTimesScript,
  scriptHeaders,
  scripts,
  searchKeyScript,
} from './scripts.ts'
export { styleOf } from './style.ts'
export {
  chooseLanguage,
  type Language,
  type TextKey,
  type Translate,
  translator,
} from './texts/index.ts'
export { tokens } from './tokens.ts'
export { fontHeaders, fontPreload, typeface } from './typeface.ts'
