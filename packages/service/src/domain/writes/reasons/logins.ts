/** The sentences for the reasons why a user cannot log in, or has to wait. */
export const logins = {
  login_contested: {
    en: 'This user can’t log in: two people claim the account. Find out whose it is, set the address to theirs, and enable the user.',
    de: 'Dieser Benutzer kann sich nicht anmelden: Zwei Personen beanspruchen das Konto. Finden Sie heraus, wem es gehört, setzen Sie dessen Adresse, und aktivieren Sie den Benutzer.',
  },
  login_disabled: {
    en: 'This user can’t log in: the user is disabled. Enable the user.',
    de: 'Dieser Benutzer kann sich nicht anmelden: Er ist gesperrt. Aktivieren Sie ihn.',
  },
  login_no_way_in: {
    en: 'This user can’t log in: there is no password, passkey or connected account. Send an invitation.',
    de: 'Dieser Benutzer kann sich nicht anmelden: Es gibt kein Passwort, keinen Passkey und kein verbundenes Konto. Schicken Sie eine Einladung.',
  },
  login_no_way_in_mail_refused: {
    en: 'This user can’t log in: there is no password, passkey or connected account, and the last message did not arrive (“{answer}”). Correct the address, then send an invitation.',
    de: 'Dieser Benutzer kann sich nicht anmelden: Es gibt kein Passwort, keinen Passkey und kein verbundenes Konto, und die letzte Nachricht kam nicht an („{answer}“). Korrigieren Sie die Adresse und schicken Sie dann eine Einladung.',
  },
  login_ways_disabled: {
    en: 'This user can’t log in: every way to log in is disabled. Remove one and send a link for a new password.',
    de: 'Dieser Benutzer kann sich nicht anmelden: Alle Anmeldemethoden sind gesperrt. Entfernen Sie eine und schicken Sie einen Link für ein neues Passwort.',
  },
  login_ways_not_allowed: {
    en: 'This user can’t log in: the tenant’s settings allow none of the ways to log in that the user has.',
    de: 'Dieser Benutzer kann sich nicht anmelden: Die Einstellungen des Mandanten erlauben keine der Anmeldemethoden, die der Benutzer hat.',
  },
  login_connection_off: {
    en: 'This user can’t log in: the only way in is an account at a provider, and its connection is disabled or removed.',
    de: 'Dieser Benutzer kann sich nicht anmelden: Der einzige Weg ist ein Konto bei einem Anbieter, und dessen Verbindung ist gesperrt oder entfernt.',
  },
  login_unverified: {
    en: 'This user can’t log in: the address is not verified, and this tenant requires that. Send the verification again, or mark the address as verified.',
    de: 'Dieser Benutzer kann sich nicht anmelden: Die Adresse ist nicht bestätigt, und dieser Mandant verlangt das. Schicken Sie die Bestätigung noch einmal, oder markieren Sie die Adresse als bestätigt.',
  },
  login_address_held: {
    en: 'Links and codes to the address of this user don’t work {wait}: an operator has changed the address, and no second operator has confirmed it. Another operator can mark it as verified now.',
    de: 'Links und Codes an die Adresse dieses Benutzers funktionieren {wait} nicht: Ein Operator hat die Adresse geändert, und noch kein zweiter hat sie bestätigt. Ein anderer Operator kann sie jetzt als bestätigt markieren.',
  },
  login_mail_refused: {
    en: 'The code or link that this user needs does not arrive: the mail server answered “{answer}”. Correct the address.',
    de: 'Der Code oder Link, den dieser Benutzer braucht, kommt nicht an: Der Mailserver antwortete „{answer}“. Korrigieren Sie die Adresse.',
  },
  login_needs_link: {
    en: 'This user can’t log in with the password: too many attempts have failed. Let the user try again, or send a link for a new password.',
    de: 'Dieser Benutzer kann sich nicht mit dem Passwort anmelden: Zu viele Versuche sind fehlgeschlagen. Lassen Sie den Benutzer es wieder versuchen, oder schicken Sie einen Link für ein neues Passwort.',
  },
  login_password_wait: {
    en: 'This user can’t log in with the password {wait}: too many attempts have failed. Let the user try again now, or wait.',
    de: 'Dieser Benutzer kann sich {wait} nicht mit dem Passwort anmelden: Zu viele Versuche sind fehlgeschlagen. Lassen Sie den Benutzer es sofort wieder versuchen, oder warten Sie.',
  },
  login_password_wait_from: {
    en: 'This user can’t log in with the password from {network} {wait}: too many attempts have failed. Let the user try again now, or wait.',
    de: 'Dieser Benutzer kann sich von {network} aus {wait} nicht mit dem Passwort anmelden: Zu viele Versuche sind fehlgeschlagen. Lassen Sie den Benutzer es sofort wieder versuchen, oder warten Sie.',
  },
  login_device_wait: {
    en: 'This user can’t log in with the password {wait} on a device that the user has used before: too many attempts have failed there. Let the user try again now, or wait.',
    de: 'Dieser Benutzer kann sich auf einem Gerät, das er schon benutzt hat, {wait} nicht mit dem Passwort anmelden: Zu viele Versuche sind dort fehlgeschlagen. Lassen Sie den Benutzer es sofort wieder versuchen, oder warten Sie.',
  },
  login_client_wait: {
    en: 'No user can log in {wait}: too many logins have failed there, of this user or of others. Wait, or let the user try from another network.',
    de: 'Niemand kann sich {wait} anmelden: Zu viele Anmeldungen dieses Benutzers oder anderer sind dort fehlgeschlagen. Warten Sie, oder lassen Sie den Benutzer es aus einem anderen Netz versuchen.',
  },
  login_client_wait_from: {
    en: 'No user can log in from {network} {wait}: too many logins have failed there, of this user or of others. Wait, or let the user try from another network.',
    de: 'Niemand kann sich von {network} aus {wait} anmelden: Zu viele Anmeldungen dieses Benutzers oder anderer sind dort fehlgeschlagen. Warten Sie, oder lassen Sie den Benutzer es aus einem anderen Netz versuchen.',
  },
  login_factor_paused: {
    en: 'This user can’t log in: too many second steps have failed. Let the user try again.',
    de: 'Dieser Benutzer kann sich nicht anmelden: Zu viele zweite Schritte sind fehlgeschlagen. Lassen Sie den Benutzer es wieder versuchen.',
  },
  login_factor_wait: {
    en: 'This user can’t enter a second step {wait}: too many have failed. Let the user try again now, or wait.',
    de: 'Dieser Benutzer kann {wait} keinen zweiten Schritt eingeben: Zu viele sind fehlgeschlagen. Lassen Sie den Benutzer es sofort wieder versuchen, oder warten Sie.',
  },
  login_mail_wait: {
    en: 'This user gets no code by mail {wait}: too many messages went to the address. Let the user try again now, or wait.',
    de: 'Dieser Benutzer bekommt {wait} keinen Code per E-Mail: Zu viele Nachrichten gingen an die Adresse. Lassen Sie den Benutzer es sofort wieder versuchen, oder warten Sie.',
  },
  login_mail_client_wait: {
    en: 'No user gets a code by mail {wait}: too many messages were asked for there. Wait, or let the user try from another network.',
    de: 'Niemand bekommt {wait} einen Code per E-Mail: Zu viele Nachrichten wurden dort angefordert. Warten Sie, oder lassen Sie den Benutzer es aus einem anderen Netz versuchen.',
  },
  login_mail_client_wait_from: {
    en: 'No user gets a code by mail from {network} {wait}: too many messages were asked for there. Wait, or let the user try from another network.',
    de: 'Niemand bekommt von {network} aus {wait} einen Code per E-Mail: Zu viele Nachrichten wurden dort angefordert. Warten Sie, oder lassen Sie den Benutzer es aus einem anderen Netz versuchen.',
  },
  login_partial: {
    en: '{obstacle} Another way to log in is still open.',
    de: '{obstacle} Eine andere Anmeldemethode ist noch offen.',
  },
  wait_one_second: {
    en: 'for another second',
    de: 'noch eine Sekunde',
  },
  wait_seconds: {
    en: 'for another {count} seconds',
    de: 'noch {count} Sekunden',
  },
  wait_minutes: {
    en: 'for another {count} minutes',
    de: 'noch {count} Minuten',
  },
  wait_hours: {
    en: 'for another {count} hours',
    de: 'noch {count} Stunden',
  },
} as const
