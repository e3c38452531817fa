import type { PageTexts } from './page-texts.ts'

/** The texts of pages in German. */
export const de: PageTexts = {
  logIn: 'Anmelden',
  logInAgain: 'Wieder anmelden',
  startPage: 'Startseite',
  logOut: 'Abmelden',
  stayLoggedIn: 'Angemeldet bleiben',
  continue: 'Weiter',
  send: 'Senden',
  doNotSend: 'Nicht senden',
  askLogout: 'Abmelden?',
  loggedOut: 'Sie sind abgemeldet',
  oneMoment: 'Einen Moment',
  askSend: 'Geschriebenes senden?',
  notSentYet: 'Sie mussten sich erst anmelden; deshalb ist dies noch nicht gesendet.',
  fieldsLeftOut: 'Zu Ihrer Sicherheit nicht aufbewahrt:',
  otherError: {
    title: 'Etwas ist schiefgegangen',
    advice: 'Die Anmeldung ließ sich nicht abschließen. Bitte versuchen Sie es noch einmal.',
  },
  loginNotStored: {
    title: 'Sie können sich gerade nicht anmelden',
    advice: 'Das geht meist vorüber. Bitte versuchen Sie es gleich noch einmal.',
  },
  formLost: {
    title: 'Ihr Formular wurde nicht gesendet',
    advice: 'Sie müssen sich erst anmelden. Senden Sie es danach bitte noch einmal.',
  },
  errors: {
    LATCHKEY_REQUEST_INVALID: {
      title: 'Diese Anfrage ist nicht zu verstehen',
      advice: 'Bitte gehen Sie zurück und beginnen Sie noch einmal.',
    },
    LATCHKEY_HOST_UNKNOWN: {
      title: 'Diese Seite hat eine andere Adresse',
      advice: 'Bitte öffnen Sie sie unter der üblichen Adresse.',
    },
    LATCHKEY_METHOD_NOT_ALLOWED: {
      title: 'So lässt sich diese Adresse nicht aufrufen',
      advice: 'Bitte gehen Sie zurück und beginnen Sie noch einmal.',
    },
    LATCHKEY_FORM_GONE: {
      title: 'Dieses Formular ist nicht mehr da',
      advice:
        'Es ist schon gesendet, älter als zehn Minuten, oder jemand anderes hat es geschrieben. Um es noch einmal zu schreiben, gehen Sie zu seiner Seite zurück.',
    },
    LATCHKEY_PROVIDER_UNAVAILABLE: {
      title: 'Der Anmeldedienst ist nicht zu erreichen',
      advice: 'Das geht meist vorüber. Bitte versuchen Sie es gleich noch einmal.',
    },
    LATCHKEY_PROVIDER_INVALID: {
      title: 'Die Antwort des Anmeldedienstes ist nicht zu gebrauchen',
      advice: 'Bitte versuchen Sie es gleich noch einmal.',
    },
    LATCHKEY_SESSION_UNAVAILABLE: {
      title: 'Ihre Sitzung kann gerade nicht gelesen werden',
      advice: 'Sie sind nicht abgemeldet. Bitte versuchen Sie es gleich noch einmal.',
    },
    LATCHKEY_ANSWER_LATE: {
      title: 'Das dauert gerade zu lange',
      advice: 'Das geht meist vorüber. Bitte versuchen Sie es gleich noch einmal.',
    },
    LATCHKEY_SESSION_ENDED: {
      title: 'Ihre Sitzung ist beendet',
      advice:
        'Sie wurden abgemeldet, während diese Seite geladen wurde. Bitte melden Sie sich wieder an.',
    },
    LATCHKEY_LOGIN_LOOP: {
      title: 'Diese Seite schickt Sie im Kreis',
      advice:
        'Sie haben sich angemeldet, und diese Seite hat Sie wieder zur Anmeldung geschickt. Bitte sagen Sie es denen, die sie betreiben.',
    },
    LATCHKEY_SESSION_TOO_LARGE: {
      title: 'Ihre Sitzung lässt sich nicht speichern',
      advice: 'Bitte sagen Sie es denen, die diese Seite betreiben.',
    },
    LATCHKEY_TRANSACTION_MISSING: {
      title: 'Die Anmeldung ließ sich hier nicht abschließen',
      advice:
        'Ihr Browser hat das Cookie nicht geschickt, mit dem die Anmeldung begann. Erlauben Sie Cookies für diese Seite, und beginnen Sie unter der Adresse, die Sie jetzt sehen.',
    },
    LATCHKEY_STATE_MISMATCH: {
      title: 'Diese Anmeldung wurde anderswo begonnen',
      advice: 'Bitte melden Sie sich von dieser Seite aus noch einmal an.',
    },
    LATCHKEY_LOGIN_DENIED: {
      title: 'Sie wurden nicht angemeldet',
      advice:
        'Der Anmeldedienst hat die Anmeldung nicht abgeschlossen. Sie können es noch einmal versuchen.',
    },
    LATCHKEY_STEP_UP_FAILED: {
      title: 'Hier ist eine stärkere Anmeldung nötig',
      advice:
        'Diese Seite verlangt eine neuere oder stärkere Anmeldung als die, die stattgefunden hat.',
    },
    LATCHKEY_USER_REFUSED: {
      title: 'Sie können diese Anwendung nicht benutzen',
      advice: 'Ihre Anmeldung war in Ordnung, aber diese Anwendung lässt Sie nicht ein.',
    },
    LATCHKEY_FORBIDDEN: {
      title: 'Diese Seite dürfen Sie nicht sehen',
      advice: 'Sie sind angemeldet, aber Ihr Konto hat keinen Zugang zu dieser Seite.',
    },
    LATCHKEY_REQUEST_FORGED: {
      title: 'Es wurde nichts geändert',
      advice:
        'Die Anfrage kam nicht von dieser Seite. Gehen Sie zurück, laden Sie die Seite neu, und versuchen Sie es noch einmal.',
    },
    LATCHKEY_BEARER_INVALID: {
      title: 'Das Access-Token ist nicht gültig',
      advice: 'Holen Sie ein neues Access-Token, und versuchen Sie es noch einmal.',
    },
    LATCHKEY_SCOPE_MISSING: {
      title: 'Das Access-Token erlaubt das nicht',
      advice: 'Holen Sie ein Access-Token mit mehr Scopes, und versuchen Sie es noch einmal.',
    },
    LATCHKEY_LOGIN_REQUIRED: {
      title: 'Bitte melden Sie sich an',
      advice: 'Diese Seite sehen Sie nach der Anmeldung.',
    },
    LATCHKEY_STEP_UP_REQUIRED: {
      title: 'Bitte melden Sie sich noch einmal an',
      advice: 'Hier ist eine neuere oder stärkere Anmeldung nötig.',
    },
    LATCHKEY_LOGOUT_FORGED: {
      title: 'Sie wurden nicht abgemeldet',
      advice: 'Die Anfrage kam nicht von dieser Seite.',
    },
  },
}
