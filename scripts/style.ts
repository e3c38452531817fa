import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { root } from './packages.ts'

/** A rule for sentences: the expression that breaks it, and the advice. */
interface Rule {
  readonly advice: string
  readonly broken: RegExp
  /** The kinds of text that it is for. Default: all. */
  readonly kinds?: readonly Kind[]
}

/** `docstring` is the first paragraph of one; the others are comments. */
type Kind = 'docstring' | 'comment' | 'string' | 'document'

/** A paragraph that readers see, and the line that it begins on. */
interface Paragraph {
  readonly text: string
  readonly line: number
  readonly kind: Kind
}

const RULES: readonly Rule[] = [
  {
    advice: 'begin with the noun: "Options of a login."',
    broken: /^(?:What|Who)\b/,
    kinds: ['docstring'],
  },
  {
    advice: 'name the thing: "@param value - The query parameter."',
    broken: /@(?:param \S+ -|returns) (?:What|Whatever|Who|Whoever)\b/,
    kinds: ['docstring', 'comment'],
  },
  {
    advice: 'begin with the noun',
    broken: /(?:^|[.!?:] )(?:Who|What) (?!to\b)[^?.]*\.(?:\s|$)/,
  },
  { advice: 'write "log in" or "login"', broken: /\bsign(?:s|ed|ing)?[ -]?in\b(?! with Apple)/i },
  { advice: 'write "log out" or "logout"', broken: /\bsign(?:s|ed|ing)?[ -]?out\b/i },
  { advice: 'say which one', broken: /\b(?:who|whom|what|which)(?:so)?ever\b/i },
  { advice: 'write "no user" or "not … any"', broken: /\bnobody\b/i },
  { advice: 'write "a user" or "another person"', broken: /\b(?:somebody|someone)\b/i },
  {
    advice: 'name the thing instead of "what is"',
    broken:
      /\b(?:of|than|by|for|from|with|to|and|in|after|at|on|over|only|all|not) what (?:is|was|were|has|had|may|can|cannot|must|belongs|follows|came|comes)\b/i,
  },
  { advice: 'write "again" or "new"', broken: /\banew\b/i },
  {
    advice: 'begin with a noun, or with a sentence that has a subject',
    broken:
      /^(?:Whose|(?:Above|At|Below|By|For|From|In|Of|On|Over|To|Under|With) (?:what|which|whom|whose))\b/,
    kinds: ['docstring'],
  },
  { advice: 'say what is known, such as "Whether … can be reached"', broken: /\bhow it stands\b/i },
  { advice: 'write "has expired"', broken: /\btokens? (?:has|have|had) ended\b/i },
  { advice: 'write "usage error"', broken: /\bcalled in a wrong way\b/i },
  { advice: 'write "is not valid"', broken: /\bworth nothing (?:at|with) another\b/i },
  { advice: 'write "at most 100 characters" or the rule', broken: /\bare called fits\b/i },
  { advice: 'write "one process at a time"', broken: /\bby one at a time\b/i },
  { advice: 'write "serialize"', broken: /\bserialis/i },
  { advice: 'write "re-authentication"', broken: /\bpassword of the last minute\b/i },
  { advice: 'write "the next free one is used"', broken: /\bthat are taken are skipped\b/i },
  { advice: 'write "single use"', broken: /\bis good for one attempt\b/i },
  {
    advice: 'one space is enough',
    broken: /[^\s|] {2,}[^\s|]/,
    kinds: ['docstring', 'comment', 'document'],
  },
]

/** As long as context, decision and consequences may be together. */
const MAX_DECISION_LINES = 40

const FILES = [
  '*.md',
  'docs/**/*.{md,ts}',
  'packages/*/README.md',
  'packages/*/src/**/*.ts',
  'examples/*/{src,public,test}/**/*.{ts,js,md}',
  'bench/**/*.{ts,md}',
  'scripts/*.ts',
  '.github/**/*.{md,yml}',
  '.changeset/*.md',
]
// Texts in other languages, generated pages, and the words that this file refuses.
const IGNORED = ['**/node_modules/**', '**/texts/de*.ts', 'docs/reference/**', 'scripts/style.ts']

/** The paragraphs of a file that break a rule, each as `line: words: advice`. */
export function faultsOf(file: string, source: string): string[] {
  const paragraphs = /\.[jt]s$/.test(file) ? ofSource(file, source) : ofDocument(source)
  return paragraphs.flatMap(({ text, line, kind }) => {
    const prose = withoutCode(text)
    for (const { advice, broken, kinds } of RULES) {
      const words = !kinds || kinds.includes(kind) ? broken.exec(prose)?.[0].trim() : undefined
      if (words) return [`${line}: "${words.slice(0, 80)}": ${advice}`]
    }
    return []
  })
}

/** A decision with more lines than a decision may have. */
export function decisionFault(file: string, source: string): string[] {
  if (!file.startsWith('docs/decisions/')) return []
  const lines = source.trimEnd().split('\n').length
  return lines <= MAX_DECISION_LINES
    ? []
    : [`1: ${lines} lines: a decision has ${MAX_DECISION_LINES} at most`]
}

/** The comments and texts of a source. A text without a space is a name, not a sentence. */
function ofSource(file: string, source: string): Paragraph[] {
  const { program, comments } = parseSync(file, source)
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length
  const paragraphs = comments.flatMap(({ value, start }): Paragraph[] => {
    const [first = '', ...others] = value
      .replace(/^\*/, '')
      .replace(/\n\s*\*/g, '\n')
      .split(/\n\s*\n/)
    const line = lineAt(start)
    const kind = value.startsWith('*') ? 'docstring' : 'comment'
    return [
      { text: first, line, kind },
      ...others.map((text): Paragraph => ({ text, line, kind: 'comment' })),
    ]
  })
  const add = (text: string, start: number) => {
    if (/\S \S/.test(text)) paragraphs.push({ text, line: lineAt(start), kind: 'string' })
  }
  new Visitor({
    Literal: ({ value, start }) => typeof value === 'string' && add(value, start),
    TemplateElement: ({ value, start }) => add(value.raw, start),
  }).visit(program)
  return paragraphs
}

/** The paragraphs of a document without its code blocks. */
function ofDocument(source: string): Paragraph[] {
  const blank = (text: string) => text.replace(/[^\n]/g, ' ')
  const prose = source.replace(/^ *```[\s\S]*?^ *```/gm, blank).replace(/<!--[\s\S]*?-->/g, blank)
  let line = 1
  return prose.split(/(\n\s*\n)/).map((text) => {
    const paragraph: Paragraph = { text, line, kind: 'document' }
    line += text.split('\n').length - 1
    return paragraph
  })
}

/** Leaves out quoted code, addresses, line breaks and the padding of tables. */
function withoutCode(text: string): string {
  return text
    .replace(/`[^`]*`/g, 'x')
    .replace(/\]\([^)\s]*\)/g, ']')
    .replace(/https?:\/\/\S+/g, 'x')
    .replace(/^\|.*$/gm, (row) => row.replace(/ {2,}/g, ' '))
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim()
}

if (import.meta.main) {
  const files = globSync(FILES, { cwd: root, exclude: IGNORED }).sort()
  const faults = files.flatMap((file) => {
    const source = readFileSync(path.join(root, file), 'utf8')
    const found = [...decisionFault(file, source), ...faultsOf(file, source)]
    return found.map((fault) => `${file}:${fault}`)
  })
  if (faults.length > 0) {
    console.log(faults.join('\n'))
    process.exitCode = 1
  }
}
