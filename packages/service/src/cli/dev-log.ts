import { styleText } from 'node:util'
import { oneLine } from '@latchkey/management/command-line'
import { type Logger, pino } from 'pino'

interface Line {
  level: number
  time: number
  msg: string
  method?: string
  host?: string
  path?: string
  status?: number
  ms?: number
  err?: { message: string }
  [fact: string]: unknown
}

const WARN = 40

/** Makes a logger that passes each log entry to `print`, as a line for people to read. */
export function createDevLogger(level: string, print: (line: string) => void): Logger {
  return pino({ level, base: null }, { write: (json: string) => print(readable(JSON.parse(json))) })
}

function readable(line: Line): string {
  const time = styleText('dim', new Date(line.time).toTimeString().slice(0, 8))
  if (line.msg === 'request') {
    const { method = '', host = '', path = '', status = 0, ms } = line
    const answer = styleText(
      status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green',
      `${status}`,
    )
    return `  ${time} ${method.padEnd(4)} ${oneLine(host + path)} ${answer} ${styleText('dim', `${ms} ms`)}`
  }
  const { level, time: _time, msg, err, requestId: _id, ...facts } = line
  const color = level > WARN ? 'red' : 'yellow'
  const sentence = (err ? `${msg} ${err.message}` : msg).replace(/\.$/, '')
  const more = Object.entries(facts).map(([name, value]) => `${name}: ${shown(value)}`)
  const text = more.length > 0 ? `${sentence} (${more.join(', ')})` : sentence
  return `  ${time} ${styleText(color, oneLine(text))}`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
