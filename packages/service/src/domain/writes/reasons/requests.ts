/** The sentences for refused requests to the management API: their URLs, queries and bodies. */
export const requests = {
  query_after_id: {
    en: '"after" must be the id of the last item of the page before; "link" has the address of the next page.',
    de: '„after“ muss die ID des letzten Eintrags der Seite davor sein; „link“ nennt die Adresse der nächsten Seite.',
  },
  query_after_gone: {
    en: 'The user has no credential with the id in "after"; it may have been deleted. Begin the list again without "after".',
    de: 'Der Benutzer hat keine Anmeldemethode mit der ID in „after“; vielleicht wurde sie gelöscht. Beginnen Sie die Liste noch einmal ohne „after“.',
  },
  query_after_place: {
    en: '"after" comes from the address of the next page, which "link" has; send it as it is.',
    de: '„after“ kommt aus der Adresse der nächsten Seite, die „link“ nennt; senden Sie es unverändert.',
  },
  query_after_sequence: {
    en: '"after" must be the "sequence" of the last event that you have; "link" has the address of the next page.',
    de: '„after“ muss die „sequence“ des letzten Ereignisses sein, das Sie haben; „link“ nennt die Adresse der nächsten Seite.',
  },
  query_place_gone: {
    en: '"after" is {after}, and the log no longer has every event since: they were pruned, or a backup was restored. Read the objects themselves again, then the events after {oldest}.',
    de: '„after“ ist {after}, und das Protokoll enthält nicht mehr jedes Ereignis seither: Sie wurden gelöscht, oder eine Sicherung wurde eingespielt. Lesen Sie die Objekte selbst noch einmal, dann die Ereignisse nach {oldest}.',
  },
  query_unknown: {
    en: 'This list has no query parameter {found}; it has {known}.',
    de: 'Diese Liste hat keinen Parameter {found}; sie hat {known}.',
  },
  query_unknown_nearest: {
    en: 'This list has no query parameter {found}; did you mean "{nearest}"?',
    de: 'Diese Liste hat keinen Parameter {found}; meinen Sie „{nearest}“?',
  },
  query_twice: {
    en: '"{name}" may stand in a query once.',
    de: '„{name}“ darf nur einmal in einer Query stehen.',
  },
  query_limit: {
    en: '"limit" must be a whole number from 1 to {most}.',
    de: '„limit“ muss eine ganze Zahl von 1 bis {most} sein.',
  },
  query_wait: {
    en: '"wait" must be a whole number of seconds from 0 to 30.',
    de: '„wait“ muss eine ganze Zahl von Sekunden sein, von 0 bis 30.',
  },
  field_not_timestamp: {
    en: '"{name}" must be a timestamp such as 2026-01-31T09:30:00Z (RFC 3339).',
    de: '„{name}“ muss ein Zeitpunkt sein, zum Beispiel 2026-01-31T09:30:00Z (RFC 3339).',
  },
  field_too_early: {
    en: '"{name}" must not be before {earliest}. Leave it out if the time is unknown.',
    de: '„{name}“ darf nicht vor {earliest} liegen. Lassen Sie es weg, wenn der Zeitpunkt unbekannt ist.',
  },
  field_not_day: {
    en: '"{name}" must be a day such as 2026-12-31.',
    de: '„{name}“ muss ein Tag sein, zum Beispiel 2026-12-31.',
  },
  body_empty: {
    en: 'The body is empty; send a JSON object.',
    de: 'Die Anfrage hat keinen Inhalt; senden Sie ein JSON-Objekt.',
  },
  body_not_json: {
    en: 'The body is not JSON in UTF-8.',
    de: 'Der Inhalt der Anfrage ist kein JSON in UTF-8.',
  },
  body_not_object: {
    en: 'The body is JSON, but not an object.',
    de: 'Der Inhalt der Anfrage ist JSON, aber kein Objekt.',
  },
  body_not_items: {
    en: '"{member}" must be an array of objects.',
    de: '„{member}“ muss ein Array von Objekten sein.',
  },
  body_too_many_items: {
    en: '"{member}" holds {count} objects; send at most {most} at a time.',
    de: '„{member}“ hat {count} Objekte; senden Sie höchstens {most} auf einmal.',
  },
  body_prototype: {
    en: 'A member must not be called "__proto__".',
    de: 'Ein Feld darf nicht „__proto__“ heißen.',
  },
  body_too_large: {
    en: 'The body is larger than 256 KiB.',
    de: 'Der Inhalt der Anfrage ist größer als 256 KiB.',
  },
  body_encoding: {
    en: 'The content-encoding of the body is not known; send it as it is, or with gzip.',
    de: 'Das Content-Encoding der Anfrage ist nicht bekannt; senden Sie den Inhalt unverändert oder mit gzip.',
  },
  body_incomplete: {
    en: 'The body ended before all of it had come.',
    de: 'Die Anfrage endete, bevor ihr ganzer Inhalt angekommen war.',
  },
  body_not_decompressed: {
    en: 'The body could not be decompressed.',
    de: 'Der Inhalt der Anfrage ließ sich nicht entpacken.',
  },
  body_media_type: {
    en: 'Send the body as JSON in UTF-8, with "content-type: application/json".',
    de: 'Senden Sie den Inhalt als JSON in UTF-8, mit „content-type: application/json“.',
  },
  import_id: {
    en: '"id" must be a string.',
    de: '„id“ muss ein Text sein.',
  },
  import_match_address: {
    en: '"match_address" must be true or false.',
    de: '„match_address“ muss true oder false sein.',
  },
  import_not_object: {
    en: 'A user must be a JSON object.',
    de: 'Ein Benutzer muss ein JSON-Objekt sein.',
  },
  import_two_passwords: {
    en: 'A user has both "password" and "legacy_password"; send one of them.',
    de: 'Ein Benutzer hat sowohl „password“ als auch „legacy_password“; senden Sie eines davon.',
  },
  request_two_hosts: {
    en: 'The request has two Host headers.',
    de: 'Die Anfrage hat zwei Host-Header.',
  },
  request_no_tenant: {
    en: 'No tenant has the domain "{host}".',
    de: 'Kein Mandant hat die Domain „{host}“.',
  },
  request_method: {
    en: 'This address answers to {methods} only.',
    de: 'Diese Adresse beantwortet nur {methods}.',
  },
  request_headers_too_large: {
    en: 'The address and the headers of the request are larger than 16 KiB.',
    de: 'Adresse und Header der Anfrage sind größer als 16 KiB.',
  },
  request_not_http: {
    en: 'The request is not HTTP/1.1.',
    de: 'Die Anfrage ist kein HTTP/1.1.',
  },
  service_no_data: {
    en: 'The service cannot reach its data at the moment; nothing was written. Try again shortly.',
    de: 'Der Dienst erreicht seine Daten gerade nicht; nichts wurde geschrieben. Versuchen Sie es gleich noch einmal.',
  },
  service_outcome_unknown: {
    en: 'The service lost the connection to its data before the answer came; it may have been written. Look before you try again.',
    de: 'Der Dienst hat die Verbindung zu seinen Daten verloren, bevor die Antwort kam; vielleicht wurde geschrieben. Sehen Sie nach, bevor Sie es noch einmal versuchen.',
  },
  service_failed: {
    en: 'Something went wrong in the service; its log has the details under this request-id.',
    de: 'Im Dienst ist etwas schiefgegangen; die Einzelheiten stehen in seinem Log unter dieser request-id.',
  },
  service_closing: {
    en: 'The service is shutting down.',
    de: 'Der Dienst wird gerade beendet.',
  },
} as const
