/** The texts of pages and mails in English, by key. `{name}` stands for a value. */
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
  notYou: 'Not you?',
  backToLogin: 'Back to log in',
  showPassword: 'Show password',
  showNewPassword: 'Show new password',
  showCurrentPassword: 'Show current password',
  passwordRuleLength: 'At least {least} characters. A few unrelated words make a good password.',
  passwordRuleCommon: 'Not a common password.',
  passwordRuleLeaked: 'Not a common password, and none that is known from a data leak.',
  passwordRuleName: 'Not your name or ours, and not your email address.',

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
  loginOr: 'or',
  loginCodeTitle: 'Enter the code',
  loginCodeText:
    'If there is an account for {email}, we have sent a code there. It works for ten minutes.',
  loginCodeExpired: 'This code has expired. Ask for another one.',
  loginPasskey: 'Log in with a passkey',
  socialContinue: 'Continue with {name}',
  socialLink: 'There is an account for {email}. Log in to it once to connect {name}.',
  socialUnreachable: 'We could not reach {name}. Try again, or log in another way.',
  socialDenied: '{name} did not log you in, or you cancelled. Try again, or log in another way.',
  socialOther:
    'Another account at {name} is connected to this address. Log in another way; on your account page you can disconnect it.',
  socialStale:
    '{name} does not say that it asked you to log in just now, and this needs a recent login. Log out there and try again, or log in another way.',
  socialFailed: 'The login at {name} did not work. Try again, or log in another way.',
  socialOff: 'Logging in this way is switched off. Choose another way.',
  socialNoAddress:
    '{name} has not told us your email address. Log in another way, then connect {name} on your account page.',
  socialNoAccount:
    'No account here is connected with {name}, and you cannot create one this way. Log in another way.',
  socialRefused: 'This account at {name} cannot be used to log in. Log in another way.',
  socialTaken: 'This account at {name} is connected with another account already.',
  socialAddressText:
    '{name} says that your email address is {email}. Confirm it with a code that we send there.',
  loginAgain: 'Please enter your password again to continue.',
  loginStronger:
    'The application asks for a stronger login: log in with your password or passkey. To go on without it, log in the same way again.',

  selectTitle: 'Choose an account',
  selectNative:
    'The app {application} on this device asks to log you in. Go on only if you have just opened it.',
  selectContinue: 'Continue as {email}',
  selectOther: 'Use another account',
  consentTitle: 'Allow access?',
  consentText: 'A program of {host} asks for access to the account {email}.',
  consentName:
    'It calls itself “{name}”. We have not checked that name; rely on the address above.',
  consentNoName: 'It gives no name. Rely on the address above.',
  consentDeviceText: 'A program on your device asks for access to the account {email}.',
  consentDeviceName: 'It calls itself “{name}”. We have not checked that name.',
  consentAsks: 'If you allow it, it can',
  consentApi: 'At {application}:',
  consentApiPlain: 'Use it on your behalf',
  consentAccount: 'With your account here:',
  consentIdentity: 'Recognize you when you come back',
  consentProfile: 'See your name and profile',
  consentEmail: 'See your email address',
  consentOffline: 'Keep this access while you are away, for up to a year',
  consentSession: 'Keep this access until you log out here',
  consentGoesTo: 'You will be sent to {host}, which gets this access.',
  consentDevice:
    'A program on this device gets this access. Allow it only if you have just started the login there yourself.',
  consentHow:
    'Your password is not passed on. You can withdraw the access on your account page at any time.',
  consentAllow: 'Allow access',
  consentDeny: 'Deny',
  consentCommand:
    'Manage users, applications and tenants in your name, as far as your role may, for up to 8 hours',
  consentHour: 'Keep this access for an hour',

  deviceTitle: 'Log in on a device',
  deviceText: 'Enter the code that your television or your command line shows.',
  deviceCode: 'Code',
  deviceButton: 'Continue',
  deviceWarning:
    'Enter only a code from a device that you have before you. If another person sent you the code, do not go on.',
  deviceUnknown: 'There is no device with this code. Check it, or start again on the device.',
  deviceExpired: 'This code has expired. Start again on the device to get another one.',
  deviceUsed: 'This code was used already. Start again on the device to get another one.',
  deviceAskTitle: 'Log this device in?',
  deviceAskText: '{application} asks to be logged in as {email} on another device.',
  deviceAskWarning:
    'Only go on if you started this yourself, on a device that you have before you. If another person sent you the code or the link, they get into your account.',
  deviceAskCode: 'Your device must show this code:',
  deviceAskFrom: 'Asked for at {time} UTC from the address {address}.',
  deviceAskFromBrowser: 'Asked for at {time} UTC by {device}, from the address {address}.',
  deviceAskNear: 'That is the network that you use now.',
  deviceAskFar: 'That is another network than the one that you use now.',
  deviceAskAccess: 'If you allow it, the device can',
  deviceAllow: 'Log the device in',
  deviceDoneTitle: 'The device is logged in',
  deviceDoneText:
    '{application} goes on by itself in a few seconds. You can close this page. Your account page lists the programs with access, and ends it.',
  deviceDeniedTitle: 'Nothing was logged in',
  deviceDeniedText: 'The device gets no access to your account. You can close this page.',
  deviceStartAgain: 'Enter the code once more, or start again on the device.',
  deviceEnterAgain: 'Enter a code',

  factorTitle: 'Confirm that it is you',
  factorName_hardware: 'Passkey or security key',
  factorName_totp_app: 'Authenticator app',
  factorName_totp_email: 'Code by mail',
  factorName_recovery_codes: 'Recovery code',
  factorText_hardware: 'Use a passkey or security key that you have added to this account.',
  factorText_totp_app: 'Enter the code that your authenticator app shows for this account.',
  factorText_totp_email: 'We send a code to {email}. It works for ten minutes.',
  factorText_recovery_codes:
    'Enter one of the recovery codes that you saved. Each of them works once.',
  factorCode_totp_app: 'Code of 6 digits',
  factorCode_totp_email: 'Code of 8 digits',
  factorCode_recovery_codes: 'Recovery code',
  factorTrust: 'Do not ask again on this device for {duration}',
  factorButton: 'Continue',
  factorKeyButton: 'Use the key',
  factorKeyLost: 'Have you lost the key?',
  factorKeyRemove: 'Remove it from your account, then log in again',
  factorSend: 'Send the code',
  factorSendAgain: 'Send another code',
  factorSent: 'We have sent you a code. Only the newest one works.',
  factorNotSent: 'Too many messages were sent to this address. Please wait a little.',
  factorOther: 'Use another way:',
  factorWrong: 'The code is wrong or was used already. Wait for the next one.',
  factorRefused: 'The code is wrong or was used already.',
  factorExpired: 'This code has expired. We have sent you another one.',
  keyRefused: 'This key was not accepted. Try again or choose another way.',
  keyNeedsPin:
    'This security key needs a PIN. Set one in its settings, or add it as a second step.',
  keyCancelled: 'Your browser blocked the key or you cancelled. Try again or choose another way.',
  keyNotAdded:
    'Your browser blocked the key or you cancelled. A passkey needs a PIN, a fingerprint or a face; a security key without them can be added as a second step.',
  keyKnown: 'This key has been added already.',
  keyNoScript: 'Passkeys and security keys need JavaScript, which is switched off.',
  keyUnknown:
    'This browser cannot use passkeys and security keys. Use another browser, or choose another way.',
  keyName: 'Name',
  keyNameHint: 'So that you can tell your keys apart, such as “Work laptop”.',
  keyPasskey: 'Passkey',
  keySecond: 'Security key',
  keyAdded: 'Added on {day}.',
  keyUsed: 'Last used on {day}.',
  keyUnused: 'Not used yet.',
  keyRename: 'Rename',
  keyRenameWhich: 'Rename: {which}',
  keySave: 'Save the name',
  keySaveWhich: 'Save the name: {which}',
  factorOver: 'Too many wrong codes. Please log in again.',
  codeOver: 'Too many wrong codes. Have another code sent.',
  factorPaused:
    'Too many wrong codes have been entered for this account. To protect it, the second step is paused. Please ask for help.',

  enrolAppTitle: 'Add an authenticator app',
  enrolAppText:
    'Scan the image with an authenticator app on your phone, then enter the code that the app shows.',
  enrolAppQr: 'QR code for the authenticator app. The key below is the same as text.',
  enrolAppSeed: 'If you cannot scan it, enter this key in the app:',
  enrolMailTitle: 'Add codes by mail',
  enrolMailText: 'At each login we send a code to {email}. Enter the first one to switch this on.',
  enrolKeyTitle: 'Add a passkey or security key',
  enrolKeyText:
    'With a passkey, you log in with your fingerprint, your face or the PIN of your device instead of a password.',
  enrolKeyPasskey: 'Add a passkey',
  enrolKeySecond: 'Add a security key as a second step',
  enrolKeySecondHint: 'You use it after your password. It needs no PIN.',
  enrolRequired:
    'Every operator of the console needs a second step, so that a stolen password alone opens nothing. Add one to go on.',
  enrolDue: 'A login needs a second step here. Add one to go on.',
  enrolLaterText:
    'From {day} on, a login needs a second step here. Until then, you can add it later.',
  enrolLater: 'Later',
  secondStepImpossible:
    'A login needs a second step here, and you cannot add one. Please write to the support.',
  enrolButton: 'Add',
  enrolSkip: 'Not now',
  recoveryTitle: 'Save your recovery codes',
  recoveryText:
    'If you lose your second step, each of these codes lets you in once. Print them, or keep them in a password manager.',
  recoveryOnce: 'We cannot show them again. Earlier recovery codes no longer work.',
  recoveryCopy: 'Copy the codes',
  recoveryCopied: 'Copied.',
  recoverySave: 'Save as a file',
  recoveryButton: 'I have saved them',
  securityTitle: 'Your ways to log in',
  securityText: 'The ways to log in to the account {email}.',
  securityNone: 'Neither a passkey nor a second step has been added yet.',
  securityOnlyWay: 'This is your only way to log in. Add another one first.',
  securityAbout_hardware:
    'Your fingerprint, your face or the PIN of your device instead of the password, or a security key after it.',
  securityAbout_social: 'Log in with your account at {name}.',
  securityConnect: 'Connect',
  securityConnectWhich: 'Connect {name}',
  securityAbout_totp_app: 'An app on your phone shows a new code every 30 seconds.',
  securityAbout_totp_email: 'We send a code to your address at each login.',
  securityAdd: 'Add',
  securityAddWhich: 'Add: {which}',
  securityRemove: 'Remove',
  securityRemoveWhich: 'Remove: {which}',
  securityCodes: '{count} codes are left.',
  securityCodesScarce: 'Only {count} codes are left. Please make new ones.',
  securityCodesLast: 'Only one code is left. Please make new ones.',
  securityRenew: 'Make new recovery codes',
  securityRefused: 'To see this page, log in again with all of your steps.',
  securityBack: 'Back to your ways to log in',

  accountTitle: 'Your account',
  accountBack: 'Back to your account',
  accountConsole: 'Back to the console',
  accountNone: 'Not set',
  accountSave: 'Save',
  accountProfile: 'Your names',
  accountSaved: 'Your changes are saved.',
  accountEmailDone: 'Your address was changed. We have sent a message to the old one.',
  accountPasswordDone: 'Your password was changed. You are logged out everywhere else.',
  accountPasswordAbout: 'Choose another one',
  accountSecurityAbout: 'Passkeys, second steps and recovery codes',
  accountSecurityNone: 'Add a passkey or a second step',
  accountSessionsAbout: 'End sessions on other devices',
  accountAccessAbout: 'Programs that may act on your behalf',
  accountDeletionAbout: 'With all your data here',
  profileGiven: 'Given name',
  profileFamily: 'Family name',
  changeEmailTitle: 'Change your address',
  changeEmailText:
    'Your address is {email}. We will send a code to the new one, to check that it is yours.',
  changeEmailSent: 'If {email} can be used, we have sent a code there. It works for ten minutes.',
  changeEmailNew: 'New email address',
  changeEmailButton: 'Change address',
  changeEmailOther: 'Use another address',
  emailSame: 'This is your address already.',
  changePasswordTitle: 'Change your password',
  changePasswordText: 'A new password logs you out everywhere else.',
  changePasswordCurrent: 'Current password',
  passwordWrong: 'The current password is wrong.',
  accessTitle: 'Programs with access',
  accessText: 'You have allowed these programs to act on your behalf. Times are in UTC.',
  accessNone: 'You have not allowed any program to act on your behalf.',
  accessDevice: 'A program on your device',
  accessName: 'It calls itself “{name}”.',
  accessSince: 'Allowed {time}.',
  accessUsed: 'Last used on {day}.',
  accessWithdraw: 'Withdraw access',
  accessWithdrawWhich: 'Withdraw access: {host}',
  accessDone:
    'The access is withdrawn. A program that is at work right now can go on for up to five minutes.',
  sessionsTitle: 'Where you are logged in',
  sessionsText: 'The browsers in which you are logged in. Times are in UTC.',
  sessionsThis: 'This browser',
  sessionsOn: '{browser} on {system}',
  sessionsUnknown: 'Unknown browser',
  sessionsSince: 'Since {time}.',
  sessionsAt: 'Used for {applications}.',
  sessionsEnd: 'Log out there',
  sessionsEndWhich: 'Log out there: since {time}',
  sessionsEndOthers: 'Log out everywhere else',
  sessionsOthersHint: 'All devices will ask for the second step again.',
  sessionsTrusted: 'Trusted devices',
  sessionsTrustedText: 'On these devices we do not ask for the second step.',
  sessionsTrustedSince: 'Trusted since {time}.',
  sessionsForget: 'Ask for it again',
  sessionsForgetWhich: 'Ask for it again: trusted since {time}',
  supportTitle: 'Logins by our support',
  accountSupportAbout: 'Who has logged in as you, and who asks to',
  supportText:
    'These people of our support ask to log in to your account, or have done so. They see what you see, for 15 minutes. They cannot change your ways to log in. Times are in UTC.',
  supportNone: 'Our support has not asked to log in to your account.',
  supportDone: 'Done.',
  supportReason: 'The reason given: “{reason}”',
  supportWaiting: 'Asked on {asked}. Waits for your answer.',
  supportReady: 'Asked on {asked}. May log in within an hour.',
  supportBegun: 'Logged in as you since {begun}, until {ended}.',
  supportEnded: 'Logged in as you on {begun}, until {ended}.',
  supportDeclined: 'Asked on {asked}. You declined.',
  supportMissed: 'Asked on {asked}. It has expired.',
  supportOpened: 'Opened: {applications}.',
  supportAgree: 'Let this person log in',
  supportAgreeHint:
    'Agree only if you asked for help. It is good once: for an hour to begin, and then for 15 minutes.',
  supportDecline: 'Decline',
  supportEnd: 'End it now',
  impersonateTitle: 'Log in as a user',
  impersonateText:
    '{operator}, you are about to log in as {email}, for {minutes} minutes. The user is told by mail.',
  impersonateHint:
    'Sessions in this browser end. You can’t change ways to log in, and applications learn that it is you. If you did not begin this in the console, close the page.',
  impersonateButton: 'Log in as {email}',
  actingBanner: 'Support: you are logged in as {email}, until {time} UTC.',
  actingEnd: 'End now',
  actingRefusedTitle: 'Only the user can do that',
  actingRefusedText: 'You are logged in as this user to help. This page is for the user alone.',
  actingBack: 'Back to the account of the user',
  actingEndedTitle: 'You are logged out',
  actingEndedText: 'You are no longer logged in as the user, here or at the applications.',
  deletionTitle: 'Delete your account',
  deletionText:
    'Your account {email} will be deleted with all your data here. This cannot be undone.',
  deletionConfirm: 'Yes, delete my account for good',
  deletionUnconfirmed: 'Tick the box to delete your account.',
  deletionButton: 'Delete account',
  deletionDoneTitle: 'Your account is deleted',
  deletionDoneText: 'You are logged out everywhere.',

  signupTitle: 'Create your account',
  signupIntro: 'One account for everything at {company}.',
  signupButton: 'Create account',
  signupQuestion: 'Have an account already?',

  checkMailTitle: 'Check your inbox',
  checkMailSignup: 'We have sent a message to {email}. Follow the link in it to continue.',
  checkMailVerify:
    'Before you go on, please confirm that {email} is yours: follow the link in the message we have sent you.',
  checkMailReset:
    'If there is an account for {email}, we have sent a message to it with a link to set a new password. The link works for an hour.',
  checkMailWaiting: 'We are still waiting: the link in the message has not been followed yet.',
  checkMailAgain: 'We have sent you another message. Only the link in the newest one works.',
  checkMailSpam: 'Nothing there? Check your spam folder.',
  checkMailContinue: 'I have followed the link',
  checkMailResend: 'Send another message',

  undoTitle: 'Take your account back',
  undoText:
    'The button logs everybody out of your account, removes the password and every way to log in that was added since the change, and brings the address from before back. We then write to {email}. If you have several such messages, use the oldest.',
  undoProof:
    'The address of your account was changed. Enter the password from before that. The address that your account has now gets a message, and its reader can contest this.',
  undoPassword: 'Password from before the change',
  undoProofWrong: 'This is not the password from before the change.',
  undoTaken:
    'Another account has this address now. If it is yours, log in to it, give it another address, and press the button again.',
  undoButton: 'Take my account back',
  undoDoneTitle: 'You have your account back',
  undoDoneText:
    'Everybody is logged out. We have sent a message to {email}: follow its link to choose a new password.',
  undoDonePlain:
    'Everybody is logged out, and everything that was added since the change is removed. Log in again with {email}.',
  contestTitle: 'Contest this',
  contestText:
    'A person with an earlier address and password has taken the account of {email} back. If it is yours, contest that: the account is locked until we have decided whose it is.',
  contestSupportText:
    'The support has changed the address of the account of {email}. If you did not ask for this, contest it: the account is locked until another person of the support has decided whose it is.',
  contestButton: 'Lock the account',
  contestDoneTitle: 'The account is locked',
  contestDoneText:
    'Everybody is logged out, and it stays locked until we have decided. Write to us, and tell us how we can see that the account is yours.',
  verifyTitle: 'Confirm your email address',
  verifyText: 'Is {email} your address? Confirm it to finish setting up your account.',
  verifyPassword:
    'You started in another browser. Enter the password that you chose there, or choose a new one.',
  verifyRemovesLogins:
    'You started in another browser. Passkeys and accounts elsewhere that are connected with this account are removed, in case another person connected them. To keep them, follow the link in the browser where you started.',
  verifyButton: 'Confirm address',
  verifiedTitle: 'Your address is confirmed',
  verifiedText: 'Continue where you started, or log in again from the application.',

  resetRequestTitle: 'Set a new password',
  resetRequestText: 'Enter your email address, and we will send you a link to set a new password.',
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

  passwordShort: 'The password has fewer than {least} characters.',
  passwordLong: 'The password is too long: at most 72 bytes, which is 72 plain letters.',
  passwordCommon: 'This password is too common. Choose another one.',
  passwordLeaked:
    'This password is known from a data leak, so attackers try it. Choose another one, and change it wherever else you use it.',
  passwordEmail: 'The password must not be your email address.',
  passwordName: 'The password must not consist of your name or ours.',
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
  cookiesTitle: 'Your browser blocks cookies',
  cookiesText:
    'A login needs cookies. Allow them for {host} in the settings of your browser, then start again.',
  signedInTitle: 'You are logged in already',
  signedInText: 'You are logged in as {email}.',

  logoutTitle: 'Log out?',
  logoutText: 'You are logged in as {email}. Do you want to log out of {company}?',
  logoutButton: 'Log out',
  logoutStay: 'Stay logged in',
  loggedOutTitle: 'You are logged out',
  loggedOutText: 'You can close this window.',

  errorTitle: 'This did not work',
  errorText: 'The application sent a request that cannot be answered.',
  errorRedirect:
    'The application wants to send you back to an address that is not registered for it.',
  errorNoRedirect:
    'No redirect URL is registered for this application yet, so no one can log in to it.',
  errorClient: 'The application is not known here.',
  errorServer: 'Something went wrong on our side. Please try again in a moment.',
  errorForm: 'This form is no longer valid. Go back, load the page again and repeat the step.',
  errorMethod: 'This address does not take {method} requests.',
  errorDetail: 'For the developers of the application: {detail}',
  redirectReceived: 'For developers: the application asked for this redirect URL.',
  redirectRegistered: 'These redirect URLs are registered.',
  redirectRegister: 'If the URL is yours, this command registers it.',
  clientReceived: 'For developers: the request has this client id.',
  clientList: 'No application of this tenant has it. This command lists those that there are.',
  commandNeeds:
    'It reads the address of the API from LATCHKEY_URL, and a secret API key from LATCHKEY_API_KEY.',
  notFoundTitle: 'There is no such page',

  outboxTitle: 'Captured mail',
  outboxText: 'Messages of a tenant in developer mode are kept here instead of being sent.',
  outboxKey: 'Enter an API key of the tenant as the password.',
  outboxEmpty: 'No message has been captured yet.',
  outboxTo: 'To',

  mailTestSubject: 'Test: {subject}',
  mailGreeting: 'Hello {name},',
  mailGreetingPlain: 'Hello,',
  mailUndoIgnore: 'If this was you, you can ignore this message.',
  mailUndoButton: 'This was not me',
  mailIgnore: 'If this was not you, you can ignore this message.',
  mailLinkFallback: 'If the button does not work, copy this address into your browser:',
  mailSignature: 'Your team at {company}',
  mailVerifySubject: 'Confirm your email address for {company}',
  mailVerifyText: 'Please confirm that this is your email address. The link works for 24 hours.',
  mailVerifyButton: 'Confirm address',
  mailResetSubject: 'Set a new password for {company}',
  mailResetText: 'Here is the link to set a new password. It works for one hour.',
  mailResetButton: 'Set a new password',
  mailInviteSubject: 'Your account at {company}',
  mailInviteText:
    'An account was created for you. Here is the link to set your password. It works for seven days.',
  mailInviteButton: 'Set your password',
  mailExistsSubject: 'You have an account at {company} already',
  mailExistsText:
    'You, or another person, wanted to create an account with this address. There is one already. Log in with it, or set a new password if you have forgotten it. The link works for one hour.',
  mailExistsButton: 'Set a new password',
  mailChangedSubject: 'Your password for {company} was changed',
  mailChangedText:
    'Your password was changed just now and you are logged out everywhere else. If this was not you, take your account back with this link. It works for seven days.',
  mailCodeSubject: 'Your code for {company}',
  mailCode: 'Your code: {code}',
  mailCodeText:
    'It works for ten minutes, for the login to {application} that you have just begun. We never ask you for it. If you did not begin a login, another person knows your password: set a new one.',
  mailLoginCodeText:
    'It works for ten minutes, for the login to {application} that you have just begun. We never ask you for it. If you did not begin a login, you can ignore this message.',
  mailCodeSafety:
    'We never ask you for this code. If you did not begin a login, another person knows your password: set a new one.',
  mailLoginCodeSafety:
    'We never ask you for this code. If you did not begin a login, you can ignore this message.',
  mailFactorsSubject: 'The ways to log in at {company} were changed',
  mailFactorAddedText:
    'This was just added to your account: {way}. If this was not you, take your account back with this link. It works for seven days.',
  mailFactorRemovedText:
    'This was just removed from your account: {way}. If this was not you, take your account back with this link. It works for seven days.',
  mailRecoveryUsedText:
    'A recovery code was just used at a login to your account, in place of the second step. If this was not you, take your account back with this link. It works for seven days.',
  mailRecoveryRenewedText:
    'New recovery codes were just made for your account. The earlier ones do not work any more. If this was not you, take your account back with this link. It works for seven days.',
  mailWaySocial: 'Account at a provider',
  mailConnectedText:
    'Your account is connected with your account at {name} now: you can log in with either. If this was not you, take your account back with this link. It works for seven days.',
  mailAddressCodeText:
    'It works for ten minutes. Enter it where you asked for it, to make this the address of your account at {application}. We never ask you for it. If you did not ask for it, you can ignore this message.',
  mailMovedSubject: 'The address of your account at {company} was changed',
  mailMovedText:
    'The address of your account is {email} now. If this was not you, take your account back with this link. It works for seven days.',
  mailDisplacedSubject: 'Your account at {company} was taken back',
  mailDisplacedText:
    'A person with an earlier address and password of your account has taken it back, and you can no longer log in. If the account is yours, contest that with this link. It locks the account until we have decided, and works for seven days.',
  mailContestButton: 'Contest this',
  mailContestedSubject: 'Your account at {company} is locked',
  mailContestedText:
    'You have taken your account back, and the reader of the address that it had before contests that. The account is locked until we have decided. Write to us, and tell us how we can see that the account is yours.',
  mailContestedSupportText:
    'The support has changed the address of your account to this one, and the reader of the address that it had before contests that. The account is locked until another person of the support has decided. Write to us, and tell us how we can see that the account is yours.',
  mailMovedBySupportText:
    'The support has changed the address of your account to {email}. You log in with it from now on. If you did not ask for this, contest it with this link. It locks the account until a second person of the support has decided, and works for seven days.',
  mailMovedBySupportPlain:
    'The support has changed the address of your account to {email}. You log in with it from now on. If you did not ask for this, write to us.',
  mailHeldSubject: 'Your new address at {company} has to be confirmed',
  mailHeldText:
    'You asked for a message to log in with. The support has changed the address of your account to this one less than a day ago, and a second person has to confirm that. Ask the support to do so, or try again a day after the change. Your password works as before.',
  mailDeletedSubject: 'Your account at {company} was deleted',
  mailDeletedText:
    'Your account was deleted just now, as you asked. If this was not you, tell us at once.',
  mailDeviceSubject: 'A new login to your account at {company}',
  mailDeviceText:
    'There was a login to your account just now, in a browser that we did not know: {device}. If this was not you, take your account back with this link. It works for seven days.',
  mailImpersonationAskedSubject: 'The support of {company} asks to log in to your account',
  mailImpersonationAskedText:
    '{operator}, of the support of {company}, asks to log in to your account for 15 minutes. Nothing happens unless you agree. The reason, and the buttons to agree or to decline, are on the page of your account. The request expires after a day. If you did not ask for help, decline.',
  mailImpersonationButton: 'Open your account',
  mailImpersonatedSubject: 'The support of {company} has logged in to your account',
  mailImpersonatedText:
    '{operator}, of the support of {company}, logged in to your account at {time} UTC, for 15 minutes at most. The reason is on the page of your account, where you can end it at once.',
  mailRoleSubject: 'Your access to the management console was changed',
  mailRoleText:
    '{by} has changed your role from {before} to {role}. You see {tenants} with it. If you did not expect this, ask an owner of the console.',
  mailReachText:
    '{by} has changed the tenants that you see in the management console: now you see {tenants}. Your role is {role}, as before. If you did not expect this, ask an owner of the console.',
  mailRoleAllTenants: 'all tenants',
  roleName_owner: 'owner',
  roleName_admin: 'admin',
  roleName_support: 'support',
  roleName_viewer: 'viewer',
  mailRoleByCommand: 'The command line of the service',
  mailOperatorInviteSubject: 'Your invitation to the management console',
  mailOperatorInviteText:
    '{by} invites you to the management console at {host}. Your role is {role}, and you see {tenants}. The link works once, for 24 hours: choose your password there. Then you add a second step, which the console asks for at each login.',
  mailOperatorInviteTextOfOneStep:
    '{by} invites you to the management console at {host}. Your role is {role}, and you see {tenants}. The link works once, for 24 hours: choose your password there. You can add a second step later.',
  mailOperatorInviteButton: 'Accept the invitation',
  mailOperatorJoinedSubject: 'Your invitation was accepted',
  mailOperatorJoinedText:
    'The link of your invitation to {email} was used just now to set a password, as {role}. If this was not expected, disable that operator in the console.',
  mailWebhookSubject: 'A webhook was switched off',
  mailWebhookGoneText:
    'The endpoint at {host} of the tenant {tenant} has answered that it is gone (410). It gets no more events. If that was not meant, switch it on again in the console: events of the last 30 days can be sent once more.',
  mailWebhookFailingText:
    'The endpoint at {host} of the tenant {tenant} has accepted nothing for five days. It gets no more events. When it works again, switch it on in the console: events of the last 30 days can be sent once more.',
  mailGuessedSubject: 'Another person knows your password at {company}',
  mailGuessedText:
    'A person entered your password, and then wrong codes for the second step. If this was not you, take your account back with this link, and choose a new password. It works for seven days.',
}

/** The key of a text. */
export type TextKey = keyof typeof en

/** All texts of a language. */
export type Texts = Record<TextKey, string>
