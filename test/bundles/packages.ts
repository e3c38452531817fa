import { middlewareAdapters } from '../../scripts/packages.ts'

/** How a published package is bundled. */
export interface Bundled {
  /** The program of `applications/` that uses the package. */
  readonly program: string
  /** Packages that stay outside of the file, each with the reason. */
  readonly external?: Readonly<Record<string, string>>
  /** Those of them that the file needs beside itself. */
  readonly beside?: readonly string[]
}

/** A published package that the lane does not bundle. */
export interface NotBundled {
  readonly reason: string
}

const OPTIONAL = 'NestJS imports it where it is installed, and goes on without it'

/** Every published package: how it is bundled, or why it is not. */
export const bundledPackages: Readonly<Record<string, Bundled | NotBundled>> = {
  '@latchkey/core': { program: 'core' },
  ...Object.fromEntries(
    middlewareAdapters().map(({ name, manifest }) => [manifest.name, { program: name }]),
  ),
  '@latchkey/management': { program: 'management' },
  '@latchkey/nestjs': {
    program: 'nestjs',
    external: {
      '@nestjs/microservices': OPTIONAL,
      '@nestjs/websockets': OPTIONAL,
      'class-transformer': OPTIONAL,
      'class-validator': OPTIONAL,
    },
  },
  '@latchkey/service': {
    program: 'service',
    external: {
      '@node-rs/argon2': 'a module of native code, loaded with the first hash of Argon2',
      '@node-rs/bcrypt': 'a module of native code, a file of its own for each platform',
    },
    beside: ['@node-rs/argon2', '@node-rs/bcrypt'],
  },
  '@latchkey/session-store': { program: 'express-session' },
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
