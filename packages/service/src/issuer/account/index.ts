import { nameRoute } from '../../telemetry/route.ts'
import { isCsrfToken } from '../interaction/flow/flow-path.ts'
import { type FlowRequest, show } from '../interaction/flow/flow-request.ts'
import { type Form, readForm, redirect } from '../requests/http.ts'
import { accountPaths } from '../requests/paths.ts'
import { RETURN_PATH } from './client.ts'
import { deleteAccount, showDeletion } from './deletion.ts'
import { changeEmail, showEmail } from './email.ts'
import { comeBack, enter, type Visit } from './entry.ts'
import { showOverview } from './overview.ts'
import { setPassword, showPassword } from './password.ts'
import { saveProfile, showProfile } from './profile.ts'
import { ADD_PATH, add, change, connect, showAdd, showConnect, showSecurity } from './security.ts'
import { endSessions, showSessions } from './sessions.ts'

/** A page of the account. */
interface AccountPage {
  show(flow: FlowRequest, visit: Visit): void | Promise<void>
  /** Handles a form of the page. A page without forms is shown to users whose login is old, too. */
  submit?(flow: FlowRequest, visit: Visit, form: Form): void | Promise<void>
}

const pages: Readonly<Record<string, AccountPage>> = {
  [accountPaths.overview]: { show: showOverview },
  [accountPaths.profile]: { show: showProfile, submit: saveProfile },
  [accountPaths.email]: { show: showEmail, submit: changeEmail },
  [accountPaths.password]: { show: showPassword, submit: setPassword },
  [accountPaths.security]: { show: showSecurity, submit: change },
  [ADD_PATH]: { show: showAdd, submit: add },
  [accountPaths.connect]: { show: showConnect, submit: connect },
  [accountPaths.sessions]: { show: showSessions, submit: endSessions },
  [accountPaths.deletion]: { show: showDeletion, submit: deleteAccount },
}

/** Answers a request for a page of the account; `false` for unknown paths. */
export async function handleAccount(flow: FlowRequest): Promise<boolean> {
  const { pathname } = flow.url
  if (pathname === RETURN_PATH || Object.hasOwn(pages, pathname)) nameRoute(flow.request, pathname)
  if (pathname === RETURN_PATH) {
    comeBack(flow)
    return true
  }
  if (!Object.hasOwn(pages, pathname)) return false
  const page = pages[pathname] as AccountPage
  const isSubmit = flow.request.method === 'POST' && page.submit !== undefined
  // Read before the session, which may end while a form comes in slowly.
  const form = isSubmit ? await readForm(flow.request) : undefined
  const visit = await enter(flow, page.submit !== undefined)
  if (!visit) return true
  if (flow.url.searchParams.has('login')) {
    // Forms go to the address of their page, and a login that they need later is another one.
    redirect(flow.response, pathname)
    return true
  }
  if (!form || !page.submit) {
    await page.show(flow, visit)
    return true
  }
  if (!isCsrfToken(visit.session.uid, form.get('csrf'))) {
    show(flow, 403, 'message', { title: 'errorTitle', text: 'errorForm' })
  } else await page.submit(flow, visit, form)
  return true
}
