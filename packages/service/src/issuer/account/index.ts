import { isCsrfToken } from '../interaction/flow/flow-path.ts'
import type { FlowRequest } from '../interaction/flow/flow-request.ts'
import { type PageRoute, pageAt, refuseForm } from '../interaction/flow/page-route.ts'
import { type Form, readForm, redirect } from '../requests/http.ts'
import { accountPaths } from '../requests/paths.ts'
import { showAccess, withdrawAccess } from './access.ts'
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
  [accountPaths.access]: { show: showAccess, submit: withdrawAccess },
  [accountPaths.deletion]: { show: showDeletion, submit: deleteAccount },
}

/** The pages of the account. */
export const accountRoutes: readonly PageRoute[] = [
  { method: 'GET', path: RETURN_PATH, run: comeBack },
  ...Object.entries(pages).flatMap(([path, page]) => {
    const { submit } = page
    return pageAt(path, {
      async show(flow) {
        const visit = await visitOf(flow, page)
        if (visit) await page.show(flow, visit)
      },
      submit:
        submit &&
        (async (flow) => {
          // Read before the session, which may end while a form comes in slowly.
          const form = await readForm(flow.request)
          const visit = await visitOf(flow, page)
          if (!visit) return
          if (!isCsrfToken(visit.session.uid, form.get('csrf'))) return refuseForm(flow)
          await submit(flow, visit, form)
        }),
    })
  }),
]

/** The visit of a page; `undefined` where the request is answered. */
async function visitOf(flow: FlowRequest, page: AccountPage): Promise<Visit | undefined> {
  const visit = await enter(flow, page.submit !== undefined)
  if (!visit || !flow.url.searchParams.has('login')) return visit
  // Forms go to the address of their page, and a login that they need later is another one.
  redirect(flow.response, flow.url.pathname)
  return undefined
}
