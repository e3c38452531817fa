export type { Look, PageName, Pages, UnregisteredRedirect, WayOn } from './pages.ts'
export { renderPage, scriptOf } from './render.ts'
export { keyScript, scriptHeaders } from './scripts.ts'
export { pageHeaders } from './style.ts'
export {
  chooseLanguage,
  type Language,
  type TextKey,
  translator,
} from './texts/index.ts'
