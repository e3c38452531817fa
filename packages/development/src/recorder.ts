import {
  type AuthRequest,
  type AuthResponse,
  type Observation,
  type Recorder,
  type RequestContext,
  type ResolvedAuthOptions,
  recorderPath,
} from '@latchkey/core/internal'
import { createFlights, type Flights } from './flights.ts'
import { recorderPage } from './page.ts'

/** A recorder of the latest logins and refusals, with a page that shows them. */
export interface RecorderWithPage extends Recorder {
  /** Answers a request for the page from a browser with the key; `undefined` for any other request. */
  answer(path: string, asked: RequestContext): AuthResponse | undefined
}

/** Creates the login recorder of one application. */
export function createRecorder(options: ResolvedAuthOptions): RecorderWithPage {
  const page = recorderPath(options.baseUrl)
  const flights = createFlights(options)
  const keep = (use: () => void): void => {
    try {
      use()
    } catch {
      // A failure of the recorder must not fail a login.
    }
  }
  const observe = (request: AuthRequest, seen: Observation): void => {
    const { method, url, headers } = request
    const read = { cookie: headers.get('cookie'), host: headers.get('host') }
    keep(() => flights.observe(request, { at: Date.now(), method, url, ...read }, seen))
  }
  return {
    observe,
    publish: (name, event) => keep(() => flights.event(Date.now(), name, event)),
    async follow({ request, session }, answered) {
      const response = await answered
      const cookies = response.headers.filter(([name]) => name === 'set-cookie')
      observe(request, {
        kind: 'answered',
        status: response.status,
        location: response.headers.find(([name]) => name === 'location')?.[1],
        setCookies: [...cookies.map(([, value]) => value), ...session.setCookies],
      })
      return response
    },
    answer(path, asked) {
      const { method } = asked.request
      const isRead = method === 'GET' || method === 'HEAD'
      return path === page && isRead ? show(asked, flights) : undefined
    },
  }
}

function show({ context, request, session }: RequestContext, flights: Flights): AuthResponse {
  return recorderPage({
    options: context.options,
    flights: flights.all(),
    events: flights.events(),
    cookie: request.headers.get('cookie'),
    asText: new URL(request.url).searchParams.has('text'),
    session: session.current,
    failure: session.failure,
  })
}
