import type { EventType } from '../../webhooks/events.ts'

/** Every type of event in German; `eventTypes` has it in English. */
export const eventsInGerman: Readonly<Record<EventType, string>> = {
  'tenant.updated': 'Einstellungen, Name oder Metadaten des Mandanten wurden geändert.',
  'tenant.deleted': 'Der Mandant wurde mit allem, was er enthielt, gelöscht.',
  'application.created': 'Eine Anwendung wurde angelegt.',
  'application.updated': 'Eine Anwendung wurde geändert.',
  'application.secret_rotated': 'Eine Anwendung hat ein neues Client-Geheimnis.',
  'application.deleted': 'Eine Anwendung wurde gelöscht.',
  'user.created': 'Ein Benutzer entstand durch eine Registrierung, die API oder einen Import.',
  'user.updated': 'Ein Benutzer wurde geändert; „changed“ nennt die Felder.',
  'user.disabled': 'Ein Benutzer wurde gesperrt und kann sich nicht mehr anmelden.',
  'user.enabled': 'Ein gesperrter Benutzer wurde wieder aktiviert.',
  'user.verified': 'Die Adresse eines Benutzers wurde nachgewiesen.',
  'user.deleted': 'Ein Benutzer wurde mit allen Anmeldedaten gelöscht.',
  'credential.created': 'Ein Benutzer hat eine neue Anmeldemethode.',
  'credential.updated': 'Eine Anmeldemethode wurde geändert, gesperrt oder aktiviert.',
  'credential.upgraded':
    'Der Hash eines Passworts wurde bei einer Anmeldung durch einen besseren ersetzt.',
  'credential.reset': 'Ein Benutzer hat ein neues Passwort gesetzt.',
  'credential.deleted': 'Eine Anmeldemethode wurde entfernt.',
  'consent.granted': 'Ein Benutzer hat einem Programm erlaubt, in seinem Namen zu handeln.',
  'impersonation.begun':
    'Ein Operator hat sich als ein Benutzer angemeldet; „actor“ nennt den Operator.',
  'impersonation.ended': 'Die Anmeldung eines Operators als ein Benutzer ist beendet.',
  'consent.withdrawn': 'Einem Programm wurde der Zugriff auf ein Konto entzogen.',
  'connection.created': 'Eine Verbindung zu einem anderen Anbieter wurde angelegt.',
  'connection.updated': 'Eine Verbindung wurde geändert.',
  'connection.deleted': 'Eine Verbindung wurde entfernt.',
  'signing_key.created': 'Der Mandant signiert mit einem neuen Schlüssel.',
  'signing_key.deleted': 'Ein Signaturschlüssel wurde zurückgezogen.',
  'session.ended': 'Ein Benutzer hat sich abgemeldet, oder eine Sitzung wurde beendet.',
  'login.succeeded': 'Ein Benutzer hat sich angemeldet. Wird an Endpunkte gesendet, die es nennen.',
  'login.failed': 'Eine Anmeldung wurde abgelehnt. Wird an Endpunkte gesendet, die es nennen.',
  'webhook.disabled':
    'Ein Endpunkt wurde ausgeschaltet, weil er 410 antwortete oder tagelang nichts annahm.',
  'webhook.test': 'Ein Test, auf Wunsch gesendet.',
}
