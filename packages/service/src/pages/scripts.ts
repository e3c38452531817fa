import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const text = readFileSync(new URL('scripts/keys.js', import.meta.url), 'utf8')

/** The script that asks for passkeys and security keys. What it says is in its name. */
export const keyScript: { path: string; text: string } = {
  path: `/assets/keys-${hash('sha256', text, 'hex').slice(0, 16)}.js`,
  text,
}

/** Of an answer with a script, which never changes. */
export const scriptHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
}
