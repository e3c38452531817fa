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
  formLost: {
    title: 'Your form was not sent',
    advice: 'You have to log in first. Then please send it again.',
  },
  // The English texts of errors are in the table of error codes.
  errors: {},
}
