/** The sentences for refused fields that many objects share, and for refused requests. */
export const fields = {
  exists_already: {
    en: 'There is such an object already.',
    de: 'So ein Objekt gibt es schon.',
  },
  changed_by_other: {
    en: 'Another person changed this a moment ago.',
    de: 'Das wurde gerade von jemand anderem geändert.',
  },
  metadata_without_key: {
    en: 'The value "{value}" has no key.',
    de: 'Der Wert „{value}“ hat keinen Schlüssel.',
  },
  metadata_key_twice: {
    en: 'The key "{key}" is there twice.',
    de: 'Der Schlüssel „{key}“ ist doppelt.',
  },
  metadata_has_field: {
    en: 'The key "{key}" has a field of its own on this page. Change it there.',
    de: 'Der Schlüssel „{key}“ hat auf dieser Seite ein eigenes Feld. Ändern Sie ihn dort.',
  },
  field_not_seconds: {
    en: '{field} must be a whole number of seconds.',
    de: '{field} muss eine ganze Zahl von Sekunden sein.',
  },
  field_too_long: {
    en: '{field} has {count} characters; at most {most} are kept.',
    de: '{field} hat {count} Zeichen; höchstens {most} sind erlaubt.',
  },
  field_not_whole: {
    en: '{field} contains U+0000 or half of a surrogate pair; send well-formed text.',
    de: '{field} enthält U+0000 oder ein halbes Ersatzzeichenpaar; senden Sie wohlgeformten Text.',
  },
  field_not_email: {
    en: '{field} is not an email address such as ada@example.com.',
    de: '{field} ist keine E-Mail-Adresse wie ada@example.com.',
  },
  field_invisible: {
    en: '{field} contains characters that show nothing.',
    de: '{field} enthält Zeichen, die man nicht sieht.',
  },
  field_no_mail_domain: {
    en: '{field} has a domain that cannot receive mail.',
    de: '{field} hat eine Domain, die keine E-Mails empfangen kann.',
  },
  field_not_url: {
    en: '{field} is not an absolute URL such as https://app.example.com/callback.',
    de: '{field} ist keine vollständige URL wie https://app.example.com/callback.',
  },
  field_not_https: {
    en: '{field} must begin with https:// (http:// is for localhost, or for any host in developer mode).',
    de: '{field} muss mit https:// beginnen (http:// ist für localhost, im Entwicklermodus für jeden Host).',
  },
  field_has_fragment: {
    en: '{field} must not have a fragment.',
    de: '{field} darf kein Fragment (#) haben.',
  },
  field_has_user: {
    en: '{field} must not hold a user name or password.',
    de: '{field} darf keinen Benutzernamen und kein Passwort enthalten.',
  },
  field_too_many_urls: {
    en: '{field} holds {count} URLs; at most {most} are kept.',
    de: '{field} hat {count} URLs; höchstens {most} sind erlaubt.',
  },
  field_key_name: {
    en: 'The name of the key',
    de: 'Der Name des Schlüssels',
  },
  field_address: {
    en: 'The address',
    de: 'Die Adresse',
  },
  field_metadata_key: {
    en: 'A key of "metadata"',
    de: 'Ein Schlüssel in „metadata“',
  },
  metadata_too_many: {
    en: '"metadata" has {count} keys; at most {most} are kept.',
    de: '„metadata“ hat {count} Schlüssel; höchstens {most} sind erlaubt.',
  },
  request_timeout: {
    en: 'The request did not arrive in time.',
    de: 'Die Anfrage kam nicht rechtzeitig an.',
  },
  form_type: {
    en: 'A form is sent as application/x-www-form-urlencoded.',
    de: 'Ein Formular wird als application/x-www-form-urlencoded geschickt.',
  },
  form_too_large: {
    en: 'The form is too large.',
    de: 'Das Formular ist zu groß.',
  },
  form_damaged: {
    en: 'The form is damaged. Open its page again.',
    de: 'Das Formular ist beschädigt. Öffnen Sie seine Seite noch einmal.',
  },
  not_found: {
    en: 'There is no such object or route, or this API key cannot reach it.',
    de: 'Dieses Objekt oder diese Adresse gibt es nicht, oder dieser API-Schlüssel reicht nicht dorthin.',
  },
  settings_incomplete: {
    en: 'The form lacks fields of the settings, so nothing is saved. Open the page again.',
    de: 'Dem Formular fehlen Felder der Einstellungen; es wird nichts gespeichert. Öffnen Sie die Seite noch einmal.',
  },
  secret_hours: {
    en: 'Give the hours as a whole number from 0 to 8760.',
    de: 'Geben Sie die Stunden als ganze Zahl von 0 bis 8760 an.',
  },
  mail_kind: {
    en: 'Choose a message: reset, invite or verify.',
    de: 'Wählen Sie eine Nachricht: neues Passwort, Einladung oder Bestätigung.',
  },
  form_unreadable: {
    en: 'The form cannot be read.',
    de: 'Das Formular lässt sich nicht lesen.',
  },
  upload_incomplete: {
    en: 'The upload was broken off.',
    de: 'Das Hochladen wurde abgebrochen.',
  },
} as const
