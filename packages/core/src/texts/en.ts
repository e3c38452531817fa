import type { PageTexts } from './page-texts.ts'

/** The texts of pages in English. */
export const en: PageTexts = {
  logIn: 'Log in',
  logInAgain: 'Log in again',
  startPage: 'Start page',
  logOut: 'Log out',
  stayLoggedIn: 'Stay logged in',
  continue: 'Continue',
  send: 'Send',
  doNotSend: 'Do not send',
  askLogout: 'Log out?',
  loggedOut: 'You are logged out',
  oneMoment: 'One moment',
  askSend: 'Send what you wrote?',
  notSentYet: 'You had to log in first, so this has not been sent yet.',
  fieldsLeftOut: 'For your safety, these fields were not kept:',
  otherError: {
    title: 'Something went wrong',
    advice: 'The login could not be completed. Please try again.',
  },
  loginNotStored: {
    title: 'You cannot log in at the moment',
    advice: 'This usually passes. Please try again in a moment.',
  },
  errors: {
    LATCHKEY_REQUEST_INVALID: {
      title: 'This request cannot be understood',
      advice: 'Please go back and start again.',
    },
    LATCHKEY_HOST_UNKNOWN: {
      title: 'This site has another address',
      advice: 'Please open it at its usual address.',
    },
    LATCHKEY_METHOD_NOT_ALLOWED: {
      title: 'This address does not work that way',
      advice: 'Please go back and start again.',
    },
    LATCHKEY_FORM_GONE: {
      title: 'This form is no longer here',
      advice:
        'It was sent already, it is older than ten minutes, or another user wrote it. To write it again, go back to its page.',
    },
    LATCHKEY_PROVIDER_UNAVAILABLE: {
      title: 'The login service cannot be reached',
      advice: 'This usually passes. Please try again in a moment.',
    },
    LATCHKEY_PROVIDER_INVALID: {
      title: 'The login service sent an answer that cannot be used',
      advice: 'Please try again in a moment.',
    },
    LATCHKEY_SESSION_UNAVAILABLE: {
      title: 'Your session cannot be read at the moment',
      advice: 'You have not been logged out. Please try again in a moment.',
    },
    LATCHKEY_ANSWER_LATE: {
      title: 'This takes too long at the moment',
      advice: 'This usually passes. Please try again in a moment.',
    },
    LATCHKEY_SESSION_ENDED: {
      title: 'Your session has ended',
      advice: 'You were logged out while this page was loading. Please log in again.',
    },
    LATCHKEY_LOGIN_LOOP: {
      title: 'This site sends you round in a circle',
      advice:
        'You have logged in, and this site asked you to log in again. Please tell the people who run it.',
    },
    LATCHKEY_SESSION_TOO_LARGE: {
      title: 'Your session cannot be stored',
      advice: 'Please tell the people who run this site.',
    },
    LATCHKEY_TRANSACTION_MISSING: {
      title: 'The login could not be completed here',
      advice:
        'Your browser did not send the cookie with which the login began. Allow cookies for this site, and begin at the address that you see now.',
    },
    LATCHKEY_STATE_MISMATCH: {
      title: 'This login was started somewhere else',
      advice: 'Please log in again from this site.',
    },
    LATCHKEY_LOGIN_DENIED: {
      title: 'You were not logged in',
      advice: 'The login service did not complete the login. You can try again.',
    },
    LATCHKEY_STEP_UP_FAILED: {
      title: 'A stronger login is needed',
      advice: 'This page asks for a more recent or a stronger login than the one that took place.',
    },
    LATCHKEY_USER_REFUSED: {
      title: 'You cannot use this application',
      advice: 'Your login worked, but this application does not let you in.',
    },
    LATCHKEY_FORBIDDEN: {
      title: 'You are not allowed to see this',
      advice: 'You are logged in, but your account does not have access to this page.',
    },
    LATCHKEY_REQUEST_FORGED: {
      title: 'Nothing has been changed',
      advice: 'The request did not come from this site. Go back, reload the page and try again.',
    },
    LATCHKEY_BEARER_INVALID: {
      title: 'The access token is not valid',
      advice: 'Get a new access token and try again.',
    },
    LATCHKEY_SCOPE_MISSING: {
      title: 'The access token does not allow this',
      advice: 'Get an access token with more scopes and try again.',
    },
    LATCHKEY_LOGIN_REQUIRED: {
      title: 'Please log in',
      advice: 'Log in to see this page.',
    },
    LATCHKEY_STEP_UP_REQUIRED: {
      title: 'Please log in again',
      advice: 'This needs a more recent or a stronger login.',
    },
    LATCHKEY_LOGOUT_FORGED: {
      title: 'You have not been logged out',
      advice: 'The request did not come from this site.',
    },
  },
}
