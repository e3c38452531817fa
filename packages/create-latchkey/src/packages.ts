import type { Answers } from './answers.ts'
import { frameworkOf } from './frameworks.ts'
import { ranges } from './texts.ts'
import { version } from './version.ts'

/**
 * The version range of the newest TypeScript. Next.js and NestJS still need `COMPILER_AS_LIBRARY`,
 * the last range of the compiler that is written in JavaScript.
 */
const COMPILER = '^7.0.2'
const COMPILER_AS_LIBRARY = '~6.0.2'
const OTHERS: Readonly<Record<string, string>> = {
  '@nestjs/cli': '^12.0.8',
  '@types/react-dom': '^19.2.0',
}

/** The names of all packages in the package.json of an application. */
export function dependenciesOf(answers: Answers): string[] {
  const { dependencies, devDependencies } = packagesOf(answers)
  return Object.keys({ ...dependencies, ...devDependencies })
}

/** The packages of an application, with their version ranges. */
export function packagesOf({ framework, language, provider }: Answers): {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
} {
  const { dependencies, tools } = frameworkOf(framework)
  const ours = [
    '@latchkey/development',
    ...(provider.name === 'service' ? ['@latchkey/service'] : []),
  ]
  const isLibrary = framework === 'nestjs' || framework === 'nextjs'
  const rangeOf = (name: string): [string, string] => {
    if (name.startsWith('@latchkey/')) return [name, `^${version}`]
    if (name === 'typescript') return [name, isLibrary ? COMPILER_AS_LIBRARY : COMPILER]
    const range = ranges[name] ?? OTHERS[name]
    if (range === undefined) throw new Error(`There is no version of ${name}.`)
    return [name, range]
  }
  return {
    dependencies: Object.fromEntries(dependencies.map(rangeOf)),
    devDependencies: Object.fromEntries([...ours, ...tools(language)].map(rangeOf)),
  }
}
