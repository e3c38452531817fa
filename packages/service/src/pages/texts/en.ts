/** The texts of pages and mails in English, by their keys. `{name}` stands for a value. */
export const en = {
  continueTo: 'Continue to {application}',
  startAgain: 'Start again at {application}',
  startAgainHint: 'Go back to the application you came from and log in from there.',
  support: 'Need help? Write to {email}.',
  email: 'Email address',
  password: 'Password',
  newPassword: 'New password',
  name: 'Your name',
  optional: 'optional',
  backToLogin: 'Back to log in',
  passwordHint: 'At least 8 characters. A few unrelated words make a good one.',

  loginTitle: 'Log in to {company}',
  loginTitlePlain: 'Log in',
  loginButton: 'Log in',
  loginFailed:
    'The email address or the password is wrong. If you have not set a password yet, set one with “Forgot your password?”.',
  loginReset: 'Your new password is set. Log in with it.',
  loginForgot: 'Forgot your password?',
  loginSignupQuestion: 'No account yet?',
  loginSignup: 'Create one',
  loginOffTitle: 'Logging in is switched off',
  loginOffText: 'You cannot log in here at the moment.',
  loginAgain: 'Please enter your password again to continue.',

  selectTitle: 'Choose an account',
  selectContinue: 'Continue as {email}',
  selectOther: 'Use another account',

  factorTitle: 'Confirm that it is you',
  factorName_totp_app: 'Authenticator app',
  factorName_totp_email: 'Code by mail',
  factorName_recovery_codes: 'Recovery code',
  factorText_totp_app: 'Enter the code that your authenticator app shows for this account.',
  factorText_totp_email: 'We send a code to {email}. It works for ten minutes.',
  factorText_recovery_codes:
    'Enter one of the recovery codes that you saved. Each of them works once.',
  factorCode_totp_app: 'Code of 6 digits',
  factorCode_totp_email: 'Code of 8 digits',
  factorCode_recovery_codes: 'Recovery code',
  factorTrust: 'Do not ask again on this device for {days} days',
  factorTrustDay: 'Do not ask again on this device for a day',
  factorButton: 'Continue',
  factorSend: 'Send the code',
  factorSendAgain: 'Send another code',
  factorSent: 'We have sent you a code. Only the newest one works.',
  factorNotSent: 'Too many messages were sent to this address. Please wait a little.',
  factorOther: 'Use another way:',
  factorWrong: 'The code is wrong or was used already. Wait for the next one.',
  factorRefused: 'The code is wrong or was used already.',
  factorExpired: 'This code has expired. We have sent you another one.',
  factorOver: 'Too many wrong codes. Please log in again.',
  factorPaused:
    'Too many wrong codes have been entered for this account. To protect it, the second step is paused. Please ask for help.',

  enrolAppTitle: 'Add an authenticator app',
  enrolAppText:
    'Scan the image with an authenticator app on your phone, then enter the code that the app shows.',
  enrolAppQr: 'QR code for the authenticator app. The key below is the same as text.',
  enrolAppSeed: 'If you cannot scan it, enter this key in the app:',
  enrolMailTitle: 'Add codes by mail',
  enrolMailText: 'At each login we send a code to {email}. Enter the first one to switch this on.',
  enrolButton: 'Add',
  enrolSkip: 'Not now',
  recoveryTitle: 'Save your recovery codes',
  recoveryText:
    'If you lose your second step, each of these codes lets you in once. Print them, or keep them in a password manager.',
  recoveryOnce: 'We cannot show them again. Earlier recovery codes no longer work.',
  recoveryButton: 'I have saved them',
  securityTitle: 'Second steps',
  securityText: 'What you are asked for besides your password, for the account {email}.',
  securityNone: 'No second step has been added yet.',
  securityAbout_totp_app: 'An app on your phone shows a new code every 30 seconds.',
  securityAbout_totp_email: 'We send a code to your address at each login.',
  securityAdd: 'Add',
  securityAddWhich: 'Add: {which}',
  securityRemove: 'Remove',
  securityRemoveWhich: 'Remove: {which}',
  securityCodes: '{count} codes are left.',
  securityCodesScarce: 'Only {count} codes are left. Please make new ones.',
  securityRenew: 'Make new recovery codes',
  securityRefused: 'To see this page, log in again with all of your steps.',
  securityBack: 'Back to your second steps',

  signupTitle: 'Create your account',
  signupIntro: 'One account for everything at {company}.',
  signupButton: 'Create account',
  signupQuestion: 'Have an account already?',

  checkMailTitle: 'Check your inbox',
  checkMailSignup: 'We have sent a message to {email}. Follow the link in it to go on.',
  checkMailVerify:
    'Before you go on, please confirm that {email} is yours: follow the link in the message we have sent you.',
  checkMailReset:
    'If there is an account for {email}, we have sent a message to it with a link to set a new password. The link works for an hour.',
  checkMailWaiting: 'We are still waiting: the link in the message has not been followed yet.',
  checkMailAgain: 'We have sent you another message. Only the link in the newest one works.',
  checkMailSpam: 'Nothing there? Look into the spam folder as well.',
  checkMailContinue: 'I have followed the link',
  checkMailResend: 'Send another message',

  verifyTitle: 'Confirm your email address',
  verifyText: 'Is {email} your address? Confirm it to finish setting up your account.',
  verifyPassword:
    'You started in another browser. Enter the password that you chose there, or choose a new one.',
  verifyButton: 'Confirm address',
  verifiedTitle: 'Your address is confirmed',
  verifiedText: 'You can go on where you began, or start again from the application.',

  resetRequestTitle: 'Set a new password',
  resetRequestText: 'Tell us your email address and we send you a link to set a new password.',
  resetRequestButton: 'Send the link',
  resetTitle: 'Choose a new password',
  resetText: 'This is the new password for {email}.',
  resetButton: 'Set password',
  resetDoneTitle: 'Your new password is set',
  resetDoneText: 'You are logged out everywhere else. Log in with the new password.',

  linkInvalidTitle: 'This link no longer works',
  linkInvalidText:
    'It has expired, it has been used, or a newer message has replaced it. Ask for another one.',
  linkInvalidAgain: 'Ask for another link',

  passwordShort: 'The password has fewer than 8 characters.',
  passwordLong: 'The password is too long: at most 72 bytes, which is 72 plain letters.',
  passwordCommon: 'This password is on every list of common passwords. Choose another one.',
  passwordEmail: 'The password must not be your email address.',
  passwordName: 'The password must not be made of your name or ours.',
  passwordCharacter: 'The password contains a character that cannot be used.',
  emailInvalid: 'This is not an email address such as ada@example.com.',
  nameLong: 'The name is too long: at most 200 characters.',
  nameCharacter: 'The name contains a character that cannot be used.',

  tooManyTitle: 'Too many attempts',
  tooManyText: 'To protect accounts we wait a little between attempts. Try again in {wait}.',
  tooManyBack: 'Try again',
  linkNeededText:
    'Too many attempts to log in with this address have failed. To protect the account, log in on a device on which you have logged in before, or set a new password: we send a link to the address.',
  linkNeededWay: 'Set a new password',

  expiredTitle: 'This page has expired',
  expiredText: 'Too much time has passed, or this login was finished already.',
  signedInTitle: 'You are logged in already',
  signedInText: 'You are logged in as {email}.',

  logoutTitle: 'Log out?',
  logoutText: 'You are logged in as {email}. Do you want to log out of {company}?',
  logoutButton: 'Log out',
  logoutStay: 'Stay logged in',
  loggedOutTitle: 'You are logged out',
  loggedOutText: 'It is safe to close this window.',

  errorTitle: 'This did not work',
  errorText: 'The application sent a request that cannot be answered.',
  errorRedirect:
    'The application asked to be answered at an address that is not registered for it.',
  errorNoRedirect:
    'No redirect URL is registered for this application yet, so nobody can log in to it.',
  errorClient: 'The application is not known here.',
  errorServer: 'Something went wrong on our side. Please try again in a moment.',
  errorForm: 'This form is no longer valid. Go back, load the page again and repeat the step.',
  errorMethod: 'This address does not take {method} requests.',
  errorDetail: 'For the developers of the application: {detail}',
  redirectReceived: 'For developers: the application asked for this redirect URL.',
  redirectRegistered: 'These redirect URLs are registered.',
  redirectRegister: 'If the URL is yours, this command registers it.',
  notFoundTitle: 'There is no such page',

  outboxTitle: 'Captured mail',
  outboxText: 'Messages of a tenant in developer mode are kept here instead of being sent.',
  outboxKey: 'This page asks for an API key of the tenant, as the password.',
  outboxEmpty: 'No message has been captured yet.',
  outboxTo: 'To',

  mailGreeting: 'Hello {name},',
  mailGreetingPlain: 'Hello,',
  mailIgnore: 'If this was not you, ignore this message; nothing happens then.',
  mailLinkFallback: 'If the button does not work, copy this address into your browser:',
  mailSignature: 'Your team at {company}',
  mailVerifySubject: 'Confirm your email address for {company}',
  mailVerifyText: 'Please confirm that this is your email address. The link works for 24 hours.',
  mailVerifyButton: 'Confirm address',
  mailResetSubject: 'Set a new password for {company}',
  mailResetText: 'Here is the link to set a new password. It works for one hour.',
  mailResetButton: 'Set a new password',
  mailExistsSubject: 'You have an account at {company} already',
  mailExistsText:
    'Somebody, probably you, wanted to create an account with this address. There is one already. Log in with it, or set a new password if you have forgotten it. The link works for one hour.',
  mailExistsButton: 'Set a new password',
  mailChangedSubject: 'Your password for {company} was changed',
  mailChangedText:
    'Your password was changed just now and you are logged out everywhere else. If this was not you, set a new password at once with “Forgot your password?” and tell us.',
  mailCodeSubject: 'Your code for {company}',
  mailCodeText:
    'Your code is {code}. It works for ten minutes, for the login to {application} that you have just begun. Nobody from us asks you for it. If you did not begin a login, somebody knows your password: set a new one.',
  mailFactorsSubject: 'The ways to log in at {company} were changed',
  mailFactorsText:
    'A second step of your account was just added, removed or replaced by a recovery code. If this was not you, set a new password at once with “Forgot your password?” and tell us.',
  mailGuessedSubject: 'Somebody knows your password at {company}',
  mailGuessedText:
    'Somebody has entered your password, and then wrong codes for the second step. If this was not you, set a new password now with “Forgot your password?”.',
}

/** A text by its key. */
export type TextKey = keyof typeof en

/** All texts of a language. */
export type Texts = Record<TextKey, string>
