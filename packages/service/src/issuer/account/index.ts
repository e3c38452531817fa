import { isCsrfToken } from '../interaction/flow/flow-path.ts'
import type { FlowRequest } from '../interaction/flow/flow-request.ts'
import { type PageRoute, pageAt, refuseForm } from '../interaction/flow/page-route.ts'
import { type Form, readForm, redirect } from '../requests/http.ts'
import { accountPaths, END_ACTING_PATH, IMPERSONATE_PATH } from '../requests/paths.ts'
import { showAccess, withdrawAccess } from './access.ts'
import { RETURN_PATH } from './client.ts'
import { deleteAccount, showDeletion } from './deletion.ts'
import { changeEmail, showEmail } from './email.ts'
import { comeBack, enter, type Visit } from './entry.ts'
import { endByBanner, takeTicket } from './impersonate.ts'
import { showOverview } from './overview.ts'
import { setPassword, showPassword } from './password.ts'
import { saveProfile, showProfile } from './profile.ts'
import { ADD_PATH, add, change, connect, showAdd, showConnect, showSecurity } from './security.ts'
import { endSessions, showSessions } from './sessions.ts'
import { answerSupport, isWithdrawal, showSupport } from './support.ts'

/** A page of the account. */
interface AccountPage {
  show(flow: FlowRequest, visit: Visit): void | Promise<void>
  /** Handles a form of the page. A page without forms is also shown if the login is not recent. */
  submit?(flow: FlowRequest, visit: Visit, form: Form): void | Promise<void>
  /**
   * Whether a form needs no recent login, because it only takes access away from another person. By
   * default, every form needs a recent login.
   */
  isWithdrawal?(form: Form): boolean
  /** Whether the page has forms, but is shown without a recent login. */
  isOpen?: boolean
  /** Whether an operator who acts for the user may see the page. */
  isForActing?: boolean
}

const pages: Readonly<Record<string, AccountPage>> = {
  [accountPaths.overview]: { show: showOverview, isForActing: true },
  [accountPaths.profile]: { show: showProfile, submit: saveProfile },
  [accountPaths.email]: { show: showEmail, submit: changeEmail },
  [accountPaths.password]: { show: showPassword, submit: setPassword },
  [accountPaths.security]: { show: showSecurity, submit: change },
  [ADD_PATH]: { show: showAdd, submit: add },
  [accountPaths.connect]: { show: showConnect, submit: connect },
  [accountPaths.sessions]: { show: showSessions, submit: endSessions },
  [accountPaths.access]: { show: showAccess, submit: withdrawAccess },
  [accountPaths.deletion]: { show: showDeletion, submit: deleteAccount },
  [accountPaths.support]: {
    show: showSupport,
    submit: answerSupport,
    isWithdrawal,
    isOpen: true,
  },
}

/** The routes of the account pages. */
export const accountRoutes: readonly PageRoute[] = [
  { method: 'GET', path: RETURN_PATH, run: comeBack, isForActing: true },
  // The form comes from the console, which is another site, so only its ticket is checked.
  { method: 'POST', path: IMPERSONATE_PATH, run: takeTicket, isForActing: true },
  ...pageAt(END_ACTING_PATH, {
    show: ({ response }) => redirect(response, accountPaths.overview),
    submit: endByBanner,
  }).map((route) => ({ ...route, isForActing: true })),
  ...Object.entries(pages).flatMap(([path, page]) => {
    const { submit, isWithdrawal = () => false, isOpen = false, isForActing = false } = page
    const isForChanges = submit !== undefined
    return pageAt(path, {
      async show(flow) {
        const visit = await visitOf(flow, isForChanges && !isOpen)
        if (visit) await page.show(flow, visit)
      },
      submit:
        submit &&
        (async (flow) => {
          // The form is read first, because the session may end while the form arrives slowly.
          const form = await readForm(flow.request)
          const visit = await visitOf(flow, !isWithdrawal(form))
          if (!visit) return
          if (!isCsrfToken(visit.session.uid, form.get('csrf'))) return refuseForm(flow)
          await submit(flow, visit, form)
        }),
    }).map((route) => ({ ...route, isForActing }))
  }),
]

/** The user who may see the page, with the session; `undefined` if the request is answered. */
async function visitOf(flow: FlowRequest, isForChanges: boolean): Promise<Visit | undefined> {
  const visit = await enter(flow, isForChanges)
  if (!visit || !flow.url.searchParams.has('login')) return visit
  // The query is removed: forms are sent to the URL of their page, and would otherwise repeat the
  // mark of this login.
  redirect(flow.response, flow.url.pathname)
  return undefined
}
