import { globSync } from 'node:fs'
import path from 'node:path'
import type { Vendor } from './vendor.ts'

const folder = path.join(import.meta.dirname, 'working')
const files = globSync('*.ts', { cwd: folder }).sort()
const modules = await Promise.all(files.map((file) => import(path.join(folder, file))))

/** Providers that log in with the options of their pages: a file of the folder for each page. */
export const working: readonly Vendor[] = modules.flatMap(
  ({ vendors }) => vendors as readonly Vendor[],
)
