export { accountPage, homePage } from './account-pages.ts'
export { type Announcement, announce } from './announce.ts'
export {
  type DemoClient,
  type DemoService,
  type DemoUser,
  joan,
  people,
  radia,
  startDemoService,
} from './demo-service.ts'
export { freePort } from './free-port.ts'
export { button, card, facts, html, type PageOptions, page, sessionFacts, verdict } from './page.ts'
export { findRedis, type Redis } from './redis.ts'
export { runExample } from './run-example.ts'
export { style } from './style.ts'
