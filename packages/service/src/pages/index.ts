export type { Look, PageName, Pages, ShownMail, WayOn } from './pages.ts'
export { renderPage } from './render.ts'
export { pageHeaders } from './style.ts'
export {
  chooseLanguage,
  type Language,
  languages,
  type TextKey,
  type Translate,
  translator,
} from './texts/index.ts'
