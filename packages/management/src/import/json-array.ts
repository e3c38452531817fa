/** A piece of a file and the line it begins on. */
export interface Piece {
  line: number
  text: string
}

/**
 * Cuts a JSON array of objects into its elements without holding more than one, for a file of any
 * size. The content of an element is not checked.
 */
export async function* splitJsonArray(chunks: AsyncIterable<string>): AsyncGenerator<Piece> {
  let line = 1
  let depth = 0
  let isString = false
  let isEscaped = false
  let text = ''
  let startLine = 1
  for await (const chunk of chunks) {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const char = chunk[at]
      if (char === '\n') line++
      if (isEscaped) isEscaped = false
      else if (isString) {
        if (char === '\\') isEscaped = true
        else if (char === '"') isString = false
      } else if (char === '"') isString = true
      else if (char === '{' || char === '[') {
        depth++
        if (depth === 2) {
          from = at
          startLine = line
        }
      } else if (char === '}' || char === ']') {
        depth--
        if (depth === 1) {
          yield { line: startLine, text: text + chunk.slice(from, at + 1) }
          text = ''
        }
      }
    }
    if (depth >= 2) text += chunk.slice(from)
  }
  if (depth !== 0 || isString) throw new Error('The JSON array ends before it is closed.')
}
