import { adapters, examples, ranges } from './texts.ts'

/** The languages of an application, which are the values of `--language`. */
export const languages = ['typescript', 'javascript'] as const
export type Language = (typeof languages)[number]

/** The scripts in the package.json of an application. */
interface Scripts {
  /** Starts the application, and restarts it after each change of its files. */
  readonly dev: string
  readonly build?: string
  readonly start: string
  readonly check?: string
}

interface Framework {
  readonly title: string
  readonly languages: readonly Language[]
  /** The names of the packages that the application needs to run. */
  readonly dependencies: readonly string[]
  /** The packages that compile and check the application, by language. */
  readonly tools: (language: Language) => readonly string[]
  readonly scripts: (language: Language) => Scripts
  /** The folders and files that the scripts write, for `.gitignore`. */
  readonly ignored: readonly string[]
  readonly files: (language: Language, name: string) => Readonly<Record<string, string>>
}

/**
 * Creates a framework whose application is one file. Node runs that file without a compiler in both
 * languages.
 */
function oneFile(title: string, example: string): Framework {
  const text = exampleOf(example)
  const dependencies = importsOf(text)
  const types = dependencies.map((name) => `@types/${name}`).filter((name) => name in ranges)
  const fileOf = (language: Language): string => (language === 'typescript' ? 'app.ts' : 'app.js')
  return {
    title,
    languages,
    dependencies,
    tools: (language) => (language === 'typescript' ? ['typescript', '@types/node', ...types] : []),
    scripts: (language) => ({
      dev: `node --watch --env-file=.env ${fileOf(language)}`,
      start: `node --env-file-if-exists=.env ${fileOf(language)}`,
      ...(language === 'typescript' ? { check: 'tsc' } : {}),
    }),
    ignored: [],
    files: (language) => ({
      [fileOf(language)]: text,
      ...(language === 'typescript'
        ? { 'tsconfig.json': exampleOf('getting-started/tsconfig.json') }
        : {}),
    }),
  }
}

const nestjs: Framework = {
  title: 'NestJS',
  // Node cannot run the decorators of NestJS.
  languages: ['typescript'],
  dependencies: [
    '@latchkey/express',
    '@latchkey/nestjs',
    '@nestjs/common',
    '@nestjs/core',
    '@nestjs/platform-express',
    'reflect-metadata',
    'rxjs',
  ],
  tools: () => ['@nestjs/cli', '@types/node', 'typescript'],
  scripts: () => ({
    dev: 'nest start --watch --env-file .env',
    build: 'nest build',
    start: 'node --env-file-if-exists=.env dist/main.js',
    check: 'tsc --noEmit',
  }),
  ignored: ['dist'],
  files: () => ({
    'src/app.module.ts': exampleOf('nestjs/src/guide/app.module.ts'),
    'src/app.controller.ts': exampleOf('nestjs/src/guide/app.controller.ts'),
    'src/main.ts': `import { NestFactory } from '@nestjs/core'
import { AppModule } from './app.module.js'

const app = await NestFactory.create(AppModule)
await app.listen(3000)
console.log('Listening on http://localhost:3000')
`,
    'nest-cli.json': json({
      sourceRoot: 'src',
      compilerOptions: { deleteOutDir: true },
    }),
    'tsconfig.json': json({
      compilerOptions: {
        module: 'nodenext',
        target: 'es2023',
        types: ['node'],
        strict: true,
        skipLibCheck: true,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        rootDir: 'src',
        outDir: 'dist',
      },
      include: ['src'],
    }),
  }),
}

const nextjs: Framework = {
  title: 'Next.js',
  languages,
  dependencies: ['@latchkey/nextjs', 'next', 'react', 'react-dom'],
  tools: (language) =>
    language === 'typescript'
      ? ['@types/node', '@types/react', '@types/react-dom', 'typescript']
      : [],
  scripts: (language) => ({
    dev: 'next dev --port 3000',
    build: 'next build',
    start: 'next start --port 3000',
    ...(language === 'typescript' ? { check: 'tsc --noEmit' } : {}),
  }),
  ignored: ['.next', 'next-env.d.ts', '*.tsbuildinfo'],
  files: (language, name) => {
    const sources = Object.entries(examples)
      .filter(([file]) => file.startsWith('nextjs/'))
      .map(([file, text]) => [file.replace('nextjs/', ''), text] as const)
    const titled = sources.map(
      ([file, text]) => [file, text.replace("title: 'Next.js'", `title: '${name}'`)] as const,
    )
    const config = 'export default { cacheComponents: true }\n'
    if (language === 'javascript') {
      const untyped = titled
        .filter(([file]) => !file.endsWith('.d.ts'))
        .map(([file, text]) => [file.replace(/\.ts(x?)$/, '.js$1'), withoutTypes(text)])
      return { ...Object.fromEntries(untyped), 'next.config.js': config }
    }
    return {
      ...Object.fromEntries(titled),
      'next.config.ts': config,
      // Next.js would write the same options into this file at its first start.
      'tsconfig.json': json({
        compilerOptions: {
          target: 'es2023',
          lib: ['dom', 'dom.iterable', 'esnext'],
          allowJs: true,
          skipLibCheck: true,
          strict: true,
          noEmit: true,
          esModuleInterop: true,
          module: 'esnext',
          moduleResolution: 'bundler',
          resolveJsonModule: true,
          isolatedModules: true,
          jsx: 'react-jsx',
          incremental: true,
          types: ['node', 'react', 'react-dom'],
          plugins: [{ name: 'next' }],
        },
        include: [
          'next-env.d.ts',
          '**/*.ts',
          '**/*.tsx',
          '.next/types/**/*.ts',
          '.next/dev/types/**/*.ts',
        ],
        exclude: ['node_modules'],
      }),
    }
  },
}

/** The frameworks by the names that `--framework` takes, in the order in which they are offered. */
const frameworks: Readonly<Record<FrameworkName, Framework>> = {
  ...Object.fromEntries(
    Object.entries(adapters).map(([name, title]) => [name, oneFile(title, exampleOn(name))]),
  ),
  nestjs,
  nextjs,
  'node-http': oneFile('node:http, no framework', 'getting-started/node-http.js'),
}

/** One of {@link frameworkNames}. */
export type FrameworkName = string
export const frameworkNames: readonly FrameworkName[] = Object.keys(frameworks)

/**
 * The framework with a name.
 *
 * @throws Error when no framework has the name.
 */
export function frameworkOf(name: FrameworkName): Framework {
  const framework = frameworks[name]
  if (!framework) throw new Error(`There is no framework ${name}.`)
  return framework
}

/**
 * The path of the first application in a framework's guide. For Express, it is in the guide
 * "Getting started".
 */
function exampleOn(name: string): string {
  return name === 'express' ? 'getting-started/app.js' : `${name}/getting-started.js`
}

/** The names of the packages that a program imports, without modules of Node. */
function importsOf(program: string): string[] {
  const names = [...program.matchAll(/ from '([^']+)'$/gm)].map(([, name = '']) => packageOf(name))
  return [...new Set(names)].filter((name) => !name.startsWith('node:')).sort()
}

/** The name of the package in an import specifier such as `@scope/name/subpath`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function exampleOf(file: string): string {
  const text = examples[file]
  if (text === undefined) throw new Error(`There is no example ${file}.`)
  return text
}

/** Removes the type annotations from the text of a page of Next.js. */
function withoutTypes(text: string): string {
  return text
    .replace(/^import type .*\n/gm, '')
    .replace(': { children: ReactNode }', '')
    .replace(': Promise<void>', '')
    .trimStart()
}

/** Formats a value as the text of a JSON file. */
export function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
