import type { Flight } from './flights.ts'
import type { Fact, Step } from './steps.ts'
import { applicationFacts, browserFacts, eventFact, type RecorderView, time } from './view.ts'

/** Formats the flights as a text, without the values of personal claims. */
export function reportOf(view: RecorderView): string {
  const { flights, events, options } = view
  const parts = [
    'Latchkey login recorder',
    section('This application', applicationFacts(options)),
    section('This browser', browserFacts(view)),
    ...flights.map(flightText),
    ...(events.length > 0 ? [section('Between requests', events.map(eventFact))] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

function flightText({ number, title, summary, times, steps }: Flight): string {
  const repeated = times > 1 ? `, ${times} times` : ''
  return [`${number}. ${title}: ${summary}${repeated}`, ...steps.map(stepText)].join('\n')
}

const MARKS = { good: 'ok  ', bad: 'FAIL', plain: '    ' } as const

function stepText({ tone, title, facts, advice, at }: Step): string {
  const head = `  ${MARKS[tone]} ${time(at)} ${title}`
  return [head, ...lines(facts, 9), ...advice.map((line) => `         What to do: ${line}`)].join(
    '\n',
  )
}

function section(title: string, facts: readonly Fact[]): string {
  return [title, ...lines(facts, 2)].join('\n')
}

function lines(facts: readonly Fact[], indent: number): string[] {
  const space = ' '.repeat(indent)
  return facts.map(([label, value, reported = value]) =>
    `${label}: ${reported}`.replaceAll(/^/gm, space),
  )
}
