import type { FrameworkName } from './frameworks.ts'

/** A package manager, with its commands and the files that it needs in an application. */
export interface Manager {
  readonly install: string
  run(script: string): string
  files(framework: FrameworkName): Readonly<Record<string, string>>
}

const npm: Manager = {
  install: 'npm install',
  run: (script) => `npm run ${script}`,
  files: () => ({}),
}

const pnpm: Manager = {
  install: 'pnpm install',
  run: (script) => `pnpm ${script}`,
  // pnpm's installation fails if a package has a build script that is neither allowed nor refused.
  // sharp has such a script. Next.js uses sharp to resize images.
  files: (framework) =>
    framework === 'nextjs' ? { 'pnpm-workspace.yaml': 'allowBuilds:\n  sharp: false\n' } : {},
}

const bun: Manager = {
  install: 'bun install',
  run: (script) => `bun run ${script}`,
  files: () => ({}),
}

const classicYarn: Manager = {
  install: 'yarn',
  run: (script) => `yarn ${script}`,
  files: () => ({}),
}

const yarn: Manager = {
  ...classicYarn,
  // The kit finds its development packages in `node_modules`.
  files: () => ({ '.yarnrc.yml': 'nodeLinker: node-modules\n' }),
}

/**
 * The package manager that runs this command; npm if it is unknown.
 *
 * @param userAgent - The value of `npm_config_user_agent`, such as `pnpm/10.4.0 npm/?
 *   node/v24.1.0`.
 */
export function managerOf(userAgent = ''): Manager {
  const [, name = '', major = ''] = /^(\w+)\/(\d+)/.exec(userAgent) ?? []
  if (name === 'yarn') return Number(major) > 1 ? yarn : classicYarn
  return name === 'pnpm' ? pnpm : name === 'bun' ? bun : npm
}
