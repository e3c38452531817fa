import type { Micros } from '../../store/records.ts'
import { type Reason, reason } from '../writes/reasons/index.ts'
import type { Obstacle } from './login-obstacles.ts'

/** The sentence about an obstacle, for an operator. */
export function sentenceOf(obstacle: Obstacle, now: Micros): Reason {
  const sentence = startOf(obstacle, now)
  return obstacle.isPartial ? reason('login_partial', { obstacle: sentence }) : sentence
}

function startOf({ reason: kind, until, network, answer = '' }: Obstacle, now: Micros): Reason {
  const wait = waitOf((until ?? now) - now)
  switch (kind) {
    case 'contested':
      return reason('login_contested')
    case 'disabled':
      return reason('login_disabled')
    case 'no_way_in':
      return answer === ''
        ? reason('login_no_way_in')
        : reason('login_no_way_in_mail_refused', { answer })
    case 'way_disabled':
      return reason('login_ways_disabled')
    case 'way_not_allowed':
      return reason('login_ways_not_allowed')
    case 'connection_off':
      return reason('login_connection_off')
    case 'unverified':
      return reason('login_unverified')
    case 'address_held':
      return reason('login_address_held', { wait })
    case 'mail_refused':
      return reason('login_mail_refused', { answer })
    case 'needs_link':
      return reason('login_needs_link')
    case 'password_wait':
      return network === undefined
        ? reason('login_password_wait', { wait })
        : reason('login_password_wait_from', { wait, network })
    case 'device_wait':
      return reason('login_device_wait', { wait })
    case 'client_wait':
      return network === undefined
        ? reason('login_client_wait', { wait })
        : reason('login_client_wait_from', { wait, network })
    case 'factor_paused':
      return reason('login_factor_paused')
    case 'factor_wait':
      return reason('login_factor_wait', { wait })
    case 'mail_wait':
      return reason('login_mail_wait', { wait })
    case 'mail_client_wait':
      return network === undefined
        ? reason('login_mail_client_wait', { wait })
        : reason('login_mail_client_wait_from', { wait, network })
  }
}

/** A wait in a suitable unit: seconds, minutes or hours, rounded up. */
function waitOf(micros: Micros): Reason {
  const seconds = Math.max(1, Math.ceil(micros / 1e6))
  if (seconds === 1) return reason('wait_one_second')
  if (seconds < 120) return reason('wait_seconds', { count: seconds })
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 120) return reason('wait_minutes', { count: minutes })
  return reason('wait_hours', { count: Math.ceil(minutes / 60) })
}
