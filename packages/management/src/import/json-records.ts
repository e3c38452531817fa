import { FileFault } from './file-fault.ts'

/** A part of a file, with the line on which the part begins. */
export interface Piece {
  line: number
  text: string
}

/** The name of the member with the users, if the file is one object, as in most exports. */
const WRAPPER = 'users'

/**
 * Splits JSON into records, with at most one record in memory. The records are the elements of an
 * array, the elements of the member `users` of an object, or objects one after another. The content
 * of a record is not checked.
 *
 * @throws FileFault with the line of an unexpected character between two records, or of a bracket
 *   that is not closed.
 */
export async function* splitJson(
  file: string,
  chunks: AsyncIterable<string>,
): AsyncGenerator<Piece> {
  const splitter = createSplitter(file)
  for await (const chunk of chunks) yield* splitter.push(chunk)
  splitter.end()
}

/**
 * The parts that may come next outside of a record. `first` is the beginning of the file or of the
 * array.
 */
type Next = 'first' | 'separator' | 'record' | 'nothing'

function createSplitter(file: string) {
  let line = 1
  /** The number of open brackets. */
  let depth = 0
  /** The open brackets around the records: 0, 1 in an array, 2 in an array in an object. */
  let level = 0
  let next: Next = 'first'
  let isString = false
  let isEscaped = false
  /** Whether the current object has the array of users. Members after that array are skipped. */
  let isWrapper = false
  let key = ''
  let isValue = false
  let text = ''
  let startLine = 1
  let arrayLine = 1

  const fault = (char: string, expected: string): FileFault =>
    misplaced({ file, line, char, expected })

  /** Reads a character outside of a record. Returns whether a record begins with this character. */
  function between(char: string): boolean {
    if (/[\s\uFEFF]/.test(char)) return false
    if (next === 'nothing') throw fault(char, 'nothing after the end of the array')
    if (level === 0 && char === '[' && next === 'first') {
      level = ++depth
      arrayLine = line
      return false
    }
    if (level > 0 && char === ']' && next !== 'record') {
      level = 0
      depth--
      next = isWrapper ? 'separator' : 'nothing'
      return false
    }
    if (level > 0 && next === 'separator') {
      if (char !== ',') throw fault(char, 'a comma or the end of the array')
      next = 'record'
      return false
    }
    if (char !== '{') throw fault(char, level > 0 ? 'a user, which begins with {' : 'an object')
    depth++
    startLine = line
    if (level === 0) {
      isWrapper = false
      isValue = false
    }
    return true
  }

  /** Reads a character of an object. Returns whether the array of users begins here. */
  function beginsUsers(char: string): boolean {
    if (char === '"' && !isValue) key = ''
    else if (char === ':') isValue = true
    else if (char === ',') isValue = false
    return char === '[' && isValue && key.toLowerCase() === WRAPPER
  }

  return {
    *push(chunk: string): Generator<Piece> {
      let from = 0
      for (let at = 0; at < chunk.length; at++) {
        const char = chunk[at] as string
        if (char === '\n') line++
        const isInside = depth > level
        const mayWrap = level === 0 && depth === 1
        if (!isInside) {
          if (between(char)) from = at
        } else if (isEscaped) isEscaped = false
        else if (isString) {
          if (char === '\\') isEscaped = true
          else if (char === '"') isString = false
          else if (mayWrap && !isValue) key += char
        } else if (mayWrap && beginsUsers(char)) {
          level = ++depth
          arrayLine = line
          next = 'first'
          isWrapper = true
          text = ''
        } else if (char === '"') isString = true
        else if (char === '{' || char === '[') depth++
        else if (char === '}' || char === ']') {
          depth--
          if (depth > level) continue
          next = 'separator'
          if (!isWrapper || level > 0) {
            yield { line: startLine, text: text + chunk.slice(from, at + 1) }
          }
          text = ''
        }
      }
      if (depth > level && !(isWrapper && level === 0)) text += chunk.slice(from)
    },
    end(): void {
      if (depth > 0) throw unclosed(file, depth > level ? startLine : arrayLine)
    },
  }
}

/** An unexpected character outside of a record. */
interface Misplaced {
  file: string
  line: number
  char: string
  expected: string
}

/** The fault of an unexpected character outside of a record. */
function misplaced({ file, line, char, expected }: Misplaced): FileFault {
  const found = JSON.stringify(char)
  return new FileFault(
    `${file}, line ${line}: expected ${expected}, found ${found}.`,
    'misplaced',
    { line, expected, found },
  )
}

/**
 * The fault of a file that ends before the end of a record or array.
 *
 * @param open - The line on which that record or array begins.
 */
function unclosed(file: string, open: number): FileFault {
  return new FileFault(
    `${file} ends too early: what begins on line ${open} is not closed. Export it again.`,
    'unclosed',
    { line: open },
  )
}
