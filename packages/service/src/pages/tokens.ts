import { fontFaces } from './typeface.ts'

/**
 * The colors and fonts of hosted pages and of the console. The pages of the kit and of the examples
 * repeat these values in their own sources; `test/tokens.test.ts` compares them.
 */
export const tokens = `${fontFaces}
:root {
  color-scheme: light dark;
  --page: #f3f4f8; --card: #ffffff; --ink: #171a26; --soft: #565d73; --line: #858ca3; --edge: #e1e4ee;
  --accent: #3b46c8; --accent-strong: #2c36a6; --on-accent: #ffffff; --plain-back: #eff1f7;
  --bad: #a3172b; --bad-back: #fdeef0; --good: #14613a; --good-back: #e8f6ee; --warn: #653e00; --warn-back: #fdf3de;
  --sans: Geist, system-ui, sans-serif; --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f111a; --card: #191c28; --ink: #eef0f8; --soft: #aab1c8; --line: #737b96; --edge: #2a2f41;
    --accent: #aab4ff; --accent-strong: #c6cdff; --on-accent: #10142c; --plain-back: #232838;
    --bad: #ffb3bd; --bad-back: #3a1a21; --good: #a3e5bf; --good-back: #15301f; --warn: #f5cd85; --warn-back: #312710;
  }
}`
