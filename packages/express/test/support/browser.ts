export { type Browser, createBrowser, type Visit } from '../../../testing/src/login/browser.ts'
