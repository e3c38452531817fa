import {
  type AuthResponse,
  escapeHtml,
  page,
  type ResolvedAuthOptions,
} from '@latchkey/core/internal'
import type { Flight } from './flights.ts'
import { reportOf } from './report.ts'
import type { Fact, Step } from './steps.ts'
import { applicationFacts, browserFacts, eventFact, type RecorderView, time } from './view.ts'

const STYLE =
  'body{place-items:start center}main{max-width:60rem}h2{font-size:1.2rem;margin:2rem 0 .5rem}' +
  'dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:.25rem 1rem;margin:.5rem 0}' +
  'dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere;white-space:pre-wrap;min-width:0}' +
  'details{border:1px solid var(--edge);border-radius:.5rem;margin:.75rem 0;padding:.5rem 1rem}' +
  'summary{cursor:pointer;overflow-wrap:anywhere}ol{padding-left:1.5rem}li{margin:.75rem 0}' +
  '.good{color:var(--good)}.bad{color:var(--bad)}.tag{font-weight:600}' +
  '.advice{border-left:3px solid var(--bad);padding-left:.75rem;margin:.5rem 0}' +
  'textarea{box-sizing:border-box;width:100%;min-height:14rem;font:13px/1.4 ui-monospace,monospace;color:inherit;background:transparent;border:1px solid var(--soft);border-radius:.5rem;padding:.75rem}' +
  '@media(max-width:40rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}}'

/**
 * Renders the flights as a page, or as plain text. Secrets have been removed from the flights
 * before; the page escapes all text.
 */
export function recorderPage(view: RecorderView): AuthResponse {
  const report = reportOf(view)
  const answer: AuthResponse = view.asText
    ? {
        status: 200,
        headers: [
          ['content-type', 'text/plain; charset=utf-8'],
          ['x-content-type-options', 'nosniff'],
        ],
        body: report,
      }
    : page({ title: 'Login recorder', body: bodyOf(view, report), style: STYLE })
  answer.headers.push(
    ['cache-control', 'no-store'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
  )
  return answer
}

function bodyOf(view: RecorderView, report: string): string {
  const { flights, events } = view
  return [
    '<p>The last logins, logouts and refusals of this process, in development alone. Codes, states, tokens and the values of cookies are left out. Times are in UTC. <a href="?">Reload</a></p>',
    `<h2>Logins and refusals</h2>${flights.map(flightHtml).join('') || emptyHtml(view.options)}`,
    `<h2>This browser</h2>${list(browserFacts(view))}`,
    `<h2>This application</h2>${list(applicationFacts(view.options))}`,
    events.length > 0 ? `<h2>Between requests</h2>${list(events.map(eventFact))}` : '',
    '<h2 id="report">Copy as report</h2><p>The same as text, also without the values of personal claims: for an issue or a colleague. <a href="?text">Open as text</a></p>',
    `<textarea readonly aria-labelledby="report">${escapeHtml(report)}</textarea>`,
  ].join('')
}

function emptyHtml({ routes }: ResolvedAuthOptions): string {
  const login = routes.login ? ` <a href="${escapeHtml(routes.login)}">Log in</a>` : ''
  return `<p>Nothing has happened since the process started.${login}</p>`
}

function flightHtml(flight: Flight, index: number): string {
  const { number, title, outcome, summary, times, steps } = flight
  const repeated = times > 1 ? `, ${times} times` : ''
  const heading = `${number}. ${escapeHtml(title)}: <span class="tag ${outcome}">${escapeHtml(summary)}</span>${repeated} <small>${time(steps[0]?.at)}</small>`
  return `<details${index === 0 ? ' open' : ''}><summary>${heading}</summary><ol>${steps.map(stepHtml).join('')}</ol></details>`
}

const MARKS = { good: '✓', bad: '✗', plain: '→' } as const
const WORDS = { good: 'passed', bad: 'failed', plain: 'request' } as const

function stepHtml({ tone, title, facts, advice, at }: Step): string {
  const mark = `<span class="tag ${tone}" role="img" aria-label="${WORDS[tone]}">${MARKS[tone]}</span>`
  const what = advice.map(
    (line) => `<p class="advice"><strong>What to do:</strong> ${escapeHtml(line)}</p>`,
  )
  return `<li>${mark} ${escapeHtml(title)} <small>${time(at)}</small>${list(facts)}${what.join('')}</li>`
}

function list(facts: readonly Fact[]): string {
  if (facts.length === 0) return ''
  const rows = facts.map(
    ([label, value]) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd>`,
  )
  return `<dl>${rows.join('')}</dl>`
}
