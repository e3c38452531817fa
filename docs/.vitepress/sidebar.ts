import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { adapters } from '../../scripts/packages.ts'
import { root } from './site-map.ts'

const decisions = globSync('docs/decisions/*.md', { cwd: root })
  .sort()
  .map((file) => ({
    text: titleOf(file),
    link: `/decisions/${path.basename(file, '.md')}`,
  }))

/** The pages that `reference.ts` writes, one for each entry point of a package. */
const reference = globSync('docs/reference/@latchkey/**/*.md', { cwd: root })
  .map((file) => file.slice('docs/reference/'.length, -'.md'.length))
  .sort()
  .map((name) => ({ text: name, link: `/reference/${name}` }))

const PACKAGES = [
  ...adapters().map(({ name }) => name),
  ...['core', 'session-store', 'management', 'testing', 'service'],
]

/** The guides of frameworks; the other guides are those of Express. */
const frameworks = adapters()
  .filter(({ name }) => name !== 'express')
  .map(({ name, title }) => ({ text: title, link: `/guides/${name}` }))

/** The pages about providers, in the order of their table. */
const providers = [
  ...readFileSync(path.join(root, 'docs/providers/index.md'), 'utf8').matchAll(
    /^\| \[(.+?)\]\(([\w-]+)\.md\)/gm,
  ),
].map(([, text = '', page]) => ({ text, link: `/providers/${page}` }))

/** An entry of the navigation, as VitePress has it; its own types are not there for tests. */
interface Entry {
  text: string
  link?: string
  items?: Entry[]
  collapsed?: boolean
}

/** The navigation beside every page. A group that folds needs a link, or its button would hold another button. */
export const sidebar: Entry[] = [
  {
    text: 'Your application',
    items: [
      { text: 'Getting started', link: '/guides/getting-started' },
      { text: 'Which half do I need', link: '/guides/which-half' },
      { text: 'One login, step by step', link: '/guides/one-login' },
      { text: 'The three routes', link: '/guides/routes' },
      { text: 'Guards', link: '/guides/guards' },
      { text: 'Sessions and Redis', link: '/guides/sessions' },
      { text: 'APIs and access tokens', link: '/guides/bearer-tokens' },
      { text: 'Protect an API for agents', link: '/guides/agents' },
      { text: 'FAPI 2.0 for banks', link: '/guides/fapi' },
      { text: 'Single-page applications', link: '/guides/single-page-applications' },
      { text: 'WebSockets and event streams', link: '/guides/sockets' },
      { text: 'TypeScript', link: '/guides/typescript' },
      { text: 'Development', link: '/guides/development' },
      { text: 'Testing your application', link: '/guides/testing' },
      { text: 'Deployment', link: '/guides/deployment' },
      { text: 'Logging', link: '/guides/logging' },
      { text: 'Troubleshooting', link: '/guides/troubleshooting' },
      { text: 'FAQ', link: '/guides/faq' },
      { text: 'Production checklist', link: '/guides/production' },
      { text: 'Upgrading', link: '/guides/upgrading' },
      { text: 'Options', link: '/reference/options' },
      { text: 'Error codes', link: '/errors' },
      { text: 'Environment variables', link: '/environment' },
    ],
  },
  {
    text: 'Frameworks',
    items: [...frameworks, { text: 'Recipes for more', link: '/guides/recipes' }],
  },
  {
    text: 'Providers',
    link: '/providers/',
    collapsed: true,
    items: [{ text: 'All providers', link: '/providers/' }, ...providers],
  },
  {
    text: 'Coming from',
    items: [
      { text: 'express-openid-connect', link: '/guides/from-express-openid-connect' },
      { text: 'Passport', link: '/guides/from-passport-openidconnect' },
      { text: 'keycloak-connect', link: '/guides/from-keycloak-connect' },
      { text: '@fastify/passport', link: '/guides/from-fastify-passport' },
      { text: 'Auth.js', link: '/guides/from-auth-js' },
      { text: 'Better Auth', link: '/guides/from-better-auth' },
      { text: 'Clerk', link: '/guides/from-clerk' },
    ],
  },
  {
    text: 'Our service',
    items: [
      // The operator's path first: each page leads to the next one.
      { text: 'Running the service', link: '/guides/running-the-service' },
      { text: 'The management console', link: '/guides/console' },
      { text: 'Helping users', link: '/guides/helping-users' },
      { text: 'Branding', link: '/guides/branding' },
      { text: 'Importing users', link: '/guides/importing-users' },
      { text: 'Backups, keys and the audit log', link: '/guides/backups' },
      { text: 'Watching the service', link: '/guides/watching' },
      { text: 'Runbook', link: '/guides/runbook' },
      { text: 'Passwords', link: '/guides/passwords' },
      { text: 'Second factors and passkeys', link: '/guides/second-factors' },
      { text: 'Social login', link: '/guides/social-login' },
      { text: 'The account page', link: '/guides/account-page' },
      { text: 'Webhooks', link: '/guides/webhooks' },
      { text: 'Other clients', link: '/guides/other-clients' },
      { text: 'Scaling the service', link: '/guides/scaling' },
      { text: 'Capacity', link: '/guides/capacity' },
      { text: 'Data protection', link: '/guides/data-protection' },
      { text: 'Browsers', link: '/guides/browsers' },
    ],
  },
  {
    text: 'Extend',
    items: [
      { text: 'Write an adapter', link: '/guides/write-an-adapter' },
      { text: 'Write a session store', link: '/guides/session-stores' },
    ],
  },
  {
    text: 'Packages',
    link: '/packages/express',
    collapsed: true,
    items: PACKAGES.map((name) => ({
      text: `@latchkey/${name}`,
      link: `/packages/${name}`,
    })),
  },
  {
    text: 'API reference',
    link: '/reference/management-api',
    collapsed: true,
    items: [{ text: 'Management API', link: '/reference/management-api' }, ...reference],
  },
  {
    text: 'Project',
    link: '/project/architecture',
    collapsed: true,
    items: [
      { text: 'Comparison', link: '/guides/comparison' },
      { text: 'Security model', link: '/guides/security' },
      { text: 'OWASP ASVS 5', link: '/guides/asvs' },
      { text: 'Changelog', link: '/changelog' },
      { text: 'Architecture', link: '/project/architecture' },
      { text: 'Contributing', link: '/project/contributing' },
      { text: 'Code of conduct', link: '/project/code-of-conduct' },
      { text: 'Reporting a vulnerability', link: '/project/security' },
      { text: 'How pages look', link: '/design' },
      { text: 'Measurements', link: '/project/measurements' },
      { text: 'OpenID conformance', link: '/conformance' },
      { text: 'Known faults of login kits', link: '/peers-coverage' },
    ],
  },
  { text: 'Decisions', link: decisions[0]?.link ?? '/', collapsed: true, items: decisions },
]

function titleOf(file: string): string {
  const [, title = file] = /^# (.+)$/m.exec(readFileSync(path.join(root, file), 'utf8')) ?? []
  return title.replace(/^\d+\. /, '')
}
