/** The colors of code. All of them can be read by people who see contrast badly (WCAG 2.2 §1.4.3). */
export const codeThemes = {
  light: 'github-light-high-contrast',
  dark: 'github-dark-high-contrast',
} as const
