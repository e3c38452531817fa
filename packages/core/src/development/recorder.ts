import type { RequestContext } from '../context.ts'
import { recorderPath } from '../http/development.ts'
import type { AuthRequest, AuthResponse } from '../http/request.ts'
import type { Publish } from '../log/events.ts'
import type { ResolvedAuthOptions } from '../options/options.ts'
import type { Flights } from './flights.ts'
import type { Note, TakeNote } from './notes.ts'

/** The flight recorder of development: keeps the last logins and refusals, and shows them on a page. */
export interface Recorder {
  readonly note: TakeNote
  /** Takes an event that belongs to no request, such as a failed discovery. */
  readonly event: Publish
  /** Records the responses of the kit's routes. */
  follow(asked: RequestContext, answered: Promise<AuthResponse>): Promise<AuthResponse>
  /** Answers a request for the page, of a browser that has the key; `undefined` for every other request. */
  answer(path: string, asked: RequestContext): Promise<AuthResponse> | undefined
}

/**
 * Makes the flight recorder; `undefined` where this is not a developer's machine. The code that
 * stores and shows notes is loaded with the first note, and runs after the request.
 */
export function createRecorder(options: ResolvedAuthOptions): Recorder | undefined {
  if (options.developmentKey === undefined) return undefined
  const page = recorderPath(options.baseUrl)
  let flights: Promise<Flights> | undefined
  const open = (): Promise<Flights> => {
    flights ??= import('./flights.ts').then(({ createFlights }) => createFlights(options))
    return flights
  }
  const tell = (use: (kept: Flights) => void): void => {
    // A recorder that fails must not fail a login.
    open()
      .then(use, () => {})
      .catch(() => {})
  }
  const note = (request: AuthRequest, taken: Note): void => {
    const at = Date.now()
    const { method, url, headers } = request
    const facts = { method, url, cookie: headers.get('cookie'), host: headers.get('host') }
    tell((kept) => kept.note(request, { ...facts, at }, taken))
  }
  return {
    note,
    event(name, event) {
      const at = Date.now()
      tell((kept) => kept.event(at, name, event))
    },
    async follow({ request, session }, answered) {
      const response = await answered
      const cookies = response.headers.filter(([name]) => name === 'set-cookie')
      note(request, {
        kind: 'answered',
        status: response.status,
        location: response.headers.find(([name]) => name === 'location')?.[1],
        setCookies: [...cookies.map(([, value]) => value), ...session.setCookies],
      })
      return response
    },
    answer(path, asked) {
      const { request } = asked
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      return path === page && isRead ? show(asked, open()) : undefined
    },
  }
}

/** Publishes events, and gives them to the recorder, too. */
export function recordEvents(publish: Publish = () => {}, recorder: Recorder | undefined): Publish {
  if (!recorder) return publish
  return (name, event) => {
    publish(name, event)
    recorder.event(name, event)
  }
}

async function show(asked: RequestContext, opened: Promise<Flights>): Promise<AuthResponse> {
  const { context, request, session } = asked
  const [kept, pages] = await Promise.all([opened, import('./page.ts')])
  return pages.recorderPage({
    options: context.options,
    flights: kept.all(),
    events: kept.events(),
    cookie: request.headers.get('cookie'),
    asText: new URL(request.url).searchParams.has('text'),
    session: session.current,
    failure: session.failure,
  })
}
