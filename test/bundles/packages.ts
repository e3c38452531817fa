import { middlewareAdapters } from '../../scripts/packages.ts'
import { trialOf } from '../../scripts/trials.ts'

/** How a published package is bundled. */
export interface Bundled {
  /** The name of the program that uses the package, which its bundles have. */
  readonly program: string
  /** Its file, from the root of the repository. */
  readonly file: string
  /** Packages that stay outside of the file, each with the reason. */
  readonly external?: Readonly<Record<string, string>>
  /** Those of them that the file needs beside itself. */
  readonly beside?: readonly string[]
}

/** A published package that the lane does not bundle. */
export interface NotBundled {
  readonly reason: string
}

/** A program of the folder beside this file. */
const here = (program: string): Bundled => ({
  program,
  file: `test/bundles/applications/${program}.js`,
})
/** The program of an adapter, which is in its own folder. */
const ofAdapter = (name: string): Bundled => ({ program: name, file: trialOf(name).bundled })

const OPTIONAL = 'NestJS imports it where it is installed, and goes on without it'

/** Every published package: how it is bundled, or why it is not. */
export const bundledPackages: Readonly<Record<string, Bundled | NotBundled>> = {
  '@latchkey/core': here('core'),
  ...Object.fromEntries(
    middlewareAdapters().map(({ name, manifest }) => [manifest.name, ofAdapter(name)]),
  ),
  '@latchkey/management': here('management'),
  '@latchkey/nestjs': {
    ...ofAdapter('nestjs'),
    external: {
      '@nestjs/microservices': OPTIONAL,
      '@nestjs/websockets': OPTIONAL,
      'class-transformer': OPTIONAL,
      'class-validator': OPTIONAL,
    },
  },
  '@latchkey/service': {
    ...here('service'),
    external: {
      '@node-rs/argon2': 'a module of native code, loaded with the first hash of Argon2',
      '@node-rs/bcrypt': 'a module of native code, a file of its own for each platform',
    },
    beside: ['@node-rs/argon2', '@node-rs/bcrypt'],
  },
  '@latchkey/session-store': here('express-session'),
  '@latchkey/nextjs': {
    reason:
      'Next.js bundles an application itself; the lane serves a login from what "next build" makes with "output: standalone"',
  },
  '@latchkey/development': {
    reason: 'The kit looks for it beside a program on a developer’s machine alone',
  },
  'create-latchkey': { reason: 'npm runs it from its own package, and no application imports it' },
  '@latchkey/testing': { reason: 'Tests import it, and are not bundled' },
}
