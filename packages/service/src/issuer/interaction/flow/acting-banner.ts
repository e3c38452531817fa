import type { ActingBanner } from '../../../pages/index.ts'
import { END_ACTING_PATH } from '../../requests/paths.ts'
import type { ShownActing } from '../../requests/request-facts.ts'
import { csrfToken } from './flow-path.ts'

/** The banner on every page while an operator acts for a user. */
export function bannerOf(acting: ShownActing | undefined): ActingBanner | undefined {
  if (!acting) return undefined
  const { email, until, uid } = acting
  const time = new Date(until * 1_000).toISOString().slice(11, 16)
  return { email, time, action: END_ACTING_PATH, csrf: csrfToken(uid) }
}
