import { cp } from 'node:fs/promises'
import path from 'node:path'
import { root } from './packages.ts'

/** The programs with which an adapter is tried as a user would, in its own folder. Paths are from the root of the repository. */
export interface Trial {
  /** An application in TypeScript that is made from the tarballs, and in which a user logs in. */
  readonly packed: string
  /** An application in TypeScript whose users have the type of a schema that is named once. */
  readonly typedClaims: string
  /** An application in JavaScript that becomes one file. */
  readonly bundled: string
}

/** The programs of an adapter, by the name of its folder. */
export function trialOf(name: string): Trial {
  const folder = `packages/${name}/test/trial`
  return {
    packed: `${folder}/packed.ts`,
    typedClaims: `${folder}/typed-claims.ts`,
    bundled: `${folder}/bundled.js`,
  }
}

/** Copies files and folders of the repository into a project, to where they are here. */
export async function copyInto(folder: string, files: readonly string[]): Promise<void> {
  for (const file of files) {
    await cp(path.join(root, file), path.join(folder, file), { recursive: true })
  }
}
