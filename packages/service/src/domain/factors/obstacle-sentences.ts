import type { Micros } from '../../store/records.ts'
import type { Obstacle } from './login-obstacles.ts'

/** An obstacle in a sentence for an operator. */
export function sentenceOf(obstacle: Obstacle, now: Micros): string {
  const sentence = startOf(obstacle, now)
  return obstacle.isPartial ? `${sentence} Another way to log in is still open.` : sentence
}

function startOf({ reason, until, network, answer }: Obstacle, now: Micros): string {
  const wait = `for another ${lengthOf((until ?? now) - now)}`
  const from = network === undefined ? '' : ` from ${network}`
  switch (reason) {
    case 'contested':
      return 'This user can’t log in: two people claim the account. Find out whose it is, set the address to theirs, and enable the user.'
    case 'disabled':
      return 'This user can’t log in: the user is disabled. Enable the user.'
    case 'no_way_in':
      return answer === undefined
        ? 'This user can’t log in: there is no password, passkey or connected account. Send an invitation.'
        : `This user can’t log in: there is no password, passkey or connected account, and the last message did not arrive (“${answer}”). Correct the address, then send an invitation.`
    case 'way_disabled':
      return 'This user can’t log in: every way to log in is disabled. Remove one and send a link for a new password.'
    case 'way_not_allowed':
      return 'This user can’t log in: the tenant’s settings allow none of the ways to log in that the user has.'
    case 'connection_off':
      return 'This user can’t log in: the only way in is an account at a provider, and its connection is disabled or removed.'
    case 'unverified':
      return 'This user can’t log in: the address is not verified, and this tenant requires that. Send the verification again, or mark the address as verified.'
    case 'address_held':
      return `Links and codes to the address of this user don’t work ${wait}: an operator has changed the address, and no second operator has confirmed it. Another operator can mark it as verified now.`
    case 'mail_refused':
      return `The code or link that this user needs does not arrive: the mail server answered “${answer}”. Correct the address.`
    case 'needs_link':
      return 'This user can’t log in with the password: too many attempts have failed. Let the user try again, or send a link for a new password.'
    case 'password_wait':
      return `This user can’t log in with the password${from} ${wait}: too many attempts have failed. Let the user try again now, or wait.`
    case 'device_wait':
      return `This user can’t log in with the password ${wait} on a device that the user has used before: too many attempts have failed there. Let the user try again now, or wait.`
    case 'client_wait':
      return `No user can log in${from} ${wait}: too many logins have failed there, of this user or of others. Wait, or let the user try from another network.`
    case 'factor_paused':
      return 'This user can’t log in: too many second steps have failed. Let the user try again.'
    case 'factor_wait':
      return `This user can’t enter a second step ${wait}: too many have failed. Let the user try again now, or wait.`
    case 'mail_wait':
      return `This user gets no code by mail ${wait}: too many messages went to the address. Let the user try again now, or wait.`
    case 'mail_client_wait':
      return `No user gets a code by mail${from} ${wait}: too many messages were asked for there. Wait, or let the user try from another network.`
  }
}

/** A wait in the unit that people would use. */
function lengthOf(micros: Micros): string {
  const seconds = Math.max(1, Math.ceil(micros / 1e6))
  if (seconds < 120) return seconds === 1 ? 'second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`
}
