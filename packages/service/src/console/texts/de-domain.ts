/**
 * The sentences that rules of the domain make, in German: obstacles of a login, effects of a change, reasons of a refusal. The
 * domain has them in English, with their values in place; see `told` in `index.ts`.
 */
export const domainInGerman: Readonly<Record<string, string>> = {
  'Only an owner can change "latchkey_four_eyes".':
    'Nur ein Besitzer (owner) kann „latchkey_four_eyes“ ändern.',
  'Settings, the name or metadata of the tenant were changed.':
    'Einstellungen, Name oder Metadaten des Mandanten wurden geändert.',
  'The tenant was deleted, with all that it held.':
    'Der Mandant wurde mit allem, was er enthielt, gelöscht.',
  'An application was made.': 'Eine Anwendung wurde angelegt.',
  'An application was changed.': 'Eine Anwendung wurde geändert.',
  'An application has a new client secret.': 'Eine Anwendung hat ein neues Client-Geheimnis.',
  'An application was deleted.': 'Eine Anwendung wurde gelöscht.',
  'A user was made, by a sign-up, by the API or by an import.':
    'Ein Benutzer entstand durch eine Registrierung, die API oder einen Import.',
  'A user was changed; "changed" names the members.':
    'Ein Benutzer wurde geändert; „changed“ nennt die Felder.',
  'A user was disabled, and can no longer log in.':
    'Ein Benutzer wurde gesperrt und kann sich nicht mehr anmelden.',
  'A disabled user was enabled again.': 'Ein gesperrter Benutzer wurde wieder aktiviert.',
  'The address of a user was proven.': 'Die Adresse eines Benutzers wurde nachgewiesen.',
  'A user was deleted, with all credentials.':
    'Ein Benutzer wurde mit allen Anmeldedaten gelöscht.',
  'A user has a new way to log in.': 'Ein Benutzer hat einen neuen Weg zur Anmeldung.',
  'A credential was changed, disabled or enabled.':
    'Ein Weg zur Anmeldung wurde geändert, gesperrt oder aktiviert.',
  'The hash of a password was replaced by a better one at a login.':
    'Der Hash eines Passworts wurde bei einer Anmeldung durch einen besseren ersetzt.',
  'A user has set a new password.': 'Ein Benutzer hat ein neues Passwort gesetzt.',
  'A way to log in was removed.': 'Ein Weg zur Anmeldung wurde entfernt.',
  'A connection to another provider was made.':
    'Eine Verbindung zu einem anderen Anbieter wurde angelegt.',
  'A connection was changed.': 'Eine Verbindung wurde geändert.',
  'A connection was removed.': 'Eine Verbindung wurde entfernt.',
  'The tenant signs with a new key.': 'Der Mandant signiert mit einem neuen Schlüssel.',
  'A signing key was withdrawn.': 'Ein Signaturschlüssel wurde zurückgezogen.',
  'A user has logged out, or a session was ended.':
    'Ein Benutzer hat sich abgemeldet, oder eine Sitzung wurde beendet.',
  'A user has logged in. Sent to endpoints that name it.':
    'Ein Benutzer hat sich angemeldet. Wird an Endpunkte gesendet, die es nennen.',
  'A login was refused. Sent to endpoints that name it.':
    'Eine Anmeldung wurde abgelehnt. Wird an Endpunkte gesendet, die es nennen.',
  'An endpoint was switched off, as it answered 410 or accepted nothing for days.':
    'Ein Endpunkt wurde ausgeschaltet, weil er 410 antwortete oder tagelang nichts annahm.',
  'Another tenant has the domain {domain}. Nothing was changed.':
    'Ein anderer Mandant hat die Domain {domain}. Nichts wurde geändert.',
  'The recipe {recipe} needs {option}: {wanted}.':
    'Die Vorlage {recipe} braucht {option}: {wanted}.',
  'Only links for a new password, for an invitation and for an address of a user are sent again.':
    'Nur Links für ein neues Passwort, eine Einladung oder die Adresse eines Benutzers werden noch einmal gesendet.',
  'The address of this user is verified.': 'Die Adresse dieses Benutzers ist schon bestätigt.',
  'The user is disabled; enable the user first.':
    'Der Benutzer ist gesperrt; aktivieren Sie ihn zuerst.',
  'The tenant allows no passwords ("allow_passwords").':
    'Der Mandant erlaubt keine Passwörter („allow_passwords“).',
  'The user or the password is disabled; enable it first.':
    'Der Benutzer oder das Passwort ist gesperrt; aktivieren Sie es zuerst.',
  'The user has a way to log in. Send a link for a new password ("reset") instead.':
    'Der Benutzer hat schon einen Weg zur Anmeldung. Schicken Sie stattdessen einen Link für ein neues Passwort.',
  'Too many messages went to this address lately. Try again in an hour.':
    'An diese Adresse gingen zuletzt zu viele Nachrichten. Versuchen Sie es in einer Stunde noch einmal.',
  'The value {value} has no key.': 'Der Wert {value} hat keinen Schlüssel.',
  'The key {key} is there twice.': 'Der Schlüssel {key} ist doppelt.',
  '{field} must be a whole number of seconds.': '{field} muss eine ganze Zahl von Sekunden sein.',
  'Key {number} of "metadata.{key}" is a private key: register only the public part, and replace this key.':
    'Schlüssel {number} in „metadata.{key}“ ist ein privater Schlüssel: Registrieren Sie nur den öffentlichen Teil, und ersetzen Sie diesen Schlüssel.',
  'Key {number} of "metadata.{key}" must be of P-256 (ES256), RSA with 2048 bits or more (PS256), or Ed25519.':
    'Schlüssel {number} in „metadata.{key}“ muss P-256 (ES256), RSA mit mindestens 2048 Bit (PS256) oder Ed25519 sein.',
  '"{type}" is not a type of events; {hint}': '„{type}“ ist keine Art von Ereignissen; {hint}',
  'The request did not arrive in time.': 'Die Anfrage kam nicht rechtzeitig an.',
  'A form is sent as application/x-www-form-urlencoded.':
    'Ein Formular wird als application/x-www-form-urlencoded geschickt.',
  'The form is too large.': 'Das Formular ist zu groß.',
  '"metadata.{key}" does not allow "{other}".': '„metadata.{key}“ erlaubt „{other}“ nicht.',
  'The file has no user in it: {reason}.': 'Die Datei enthält keinen Benutzer: {reason}.',
  'The file is empty.': 'Die Datei ist leer.',
  'No column has email addresses, and every user needs one. Choose “email” for a column.':
    'Keine Spalte enthält E-Mail-Adressen, und jeder Benutzer braucht eine. Wählen Sie eine Spalte für die Adresse.',
  'These values may say who must not log in, each with its number of rows: {values}. Say of each below whether its users may log in, or choose “Disabled” or “Enabled” for a column of true and false.':
    'Diese Werte besagen womöglich, wer sich nicht anmelden darf, jeder mit der Zahl seiner Zeilen: {values}. Sagen Sie unten für jeden, ob seine Benutzer sich anmelden dürfen, oder wählen Sie „Gesperrt“ oder „Entsperrt“ für eine Spalte aus wahr und falsch.',
  'No row needs what you said of “{value}”. Leave it undecided.':
    'Keine Zeile braucht, was Sie für „{value}“ gesagt haben. Lassen Sie es unentschieden.',
  'The form is damaged. Open its page again.':
    'Das Formular ist beschädigt. Öffnen Sie seine Seite noch einmal.',
  'The first line has an email address, and no names of columns. Put a line such as "id,email,name" in front, with a name for each column.':
    'Die erste Zeile enthält eine E-Mail-Adresse und keine Namen von Spalten. Setzen Sie eine Zeile wie „id,email,name“ davor, mit einem Namen für jede Spalte.',
  'The first line has a value in column {column}, and no names of columns. Put a line such as "id,email,name" in front, with a name for each column.':
    'Die erste Zeile enthält in Spalte {column} einen Wert und keine Namen von Spalten. Setzen Sie eine Zeile wie „id,email,name“ davor, mit einem Namen für jede Spalte.',
  'The first line has no name for column {column}, which has addresses. Put a line such as "id,email,name" in front, with a name for each column.':
    'Die erste Zeile enthält keinen Namen für Spalte {column}, in der Adressen stehen. Setzen Sie eine Zeile wie „id,email,name“ davor, mit einem Namen für jede Spalte.',
  'The first line has no name for each column: columns {first} and {second} have the same name. Rename or delete one of them.':
    'Die erste Zeile enthält nicht für jede Spalte einen Namen: Die Spalten {first} und {second} heißen gleich. Benennen Sie eine davon um, oder löschen Sie sie.',
  'The names of the columns are in line {line}. Put that line first, and leave out the lines above that have no user.':
    'Die Namen der Spalten stehen in Zeile {line}. Setzen Sie diese Zeile an den Anfang, und lassen Sie die Zeilen darüber aus, die keinen Benutzer enthalten.',
  'Line {line} is not UTF-8. If the file is Latin-1, choose that encoding.':
    'Zeile {line} ist nicht UTF-8. Ist die Datei Latin-1, wählen Sie diese Kodierung.',
  'The file is compressed by gzip; unpack it first.':
    'Die Datei ist mit gzip gepackt; entpacken Sie sie zuerst.',
  'The file is a ZIP archive or a workbook; unpack it, or save the workbook as CSV in UTF-8.':
    'Die Datei ist ein ZIP-Archiv oder eine Arbeitsmappe; entpacken Sie sie, oder speichern Sie die Mappe als CSV in UTF-8.',
  'The file is {encoding}; save it as UTF-8.':
    'Die Datei ist {encoding}; speichern Sie sie als UTF-8.',
  'In line {line}, {fault}; choose “hash” for the column, or leave passwords out.':
    'In Zeile {line}: {fault}; wählen Sie die Spalte als Hash, oder lassen Sie Passwörter aus.',
  'In line {line}, the columns “{one}” and “{other}” are both for “{target}”, and their values differ. Choose one of them.':
    'In Zeile {line} sind die Spalten „{one}“ und „{other}“ beide für „{target}“, und ihre Werte sind verschieden. Wählen Sie eine davon.',
  'The file ends too early: what begins on line {line} is not closed. Export it again.':
    'Die Datei endet zu früh: Was in Zeile {line} beginnt, ist nicht geschlossen. Exportieren Sie sie noch einmal.',
  'The file is larger than 50 MB. Use the command "latchkey users import".':
    'Die Datei ist größer als 50 MB. Nehmen Sie den Befehl "latchkey users import".',
  'has no email address': 'hat keine E-Mail-Adresse',
  '"{name}" is not an email address': '"{name}" ist keine E-Mail-Adresse',
  '"{name}" is neither true nor false': '"{name}" ist weder wahr noch falsch',
  '"{name}" is not a date': '"{name}" ist kein Datum',
  'has both a password and a hash': 'hat ein Passwort und einen Hash',
  'has the email address of line {line}': 'hat dieselbe E-Mail-Adresse wie Zeile {line}',
  'has the id of line {line}': 'hat dieselbe ID wie Zeile {line}',
  'has {count} columns, the first line has {more}':
    'hat {count} Spalten, die erste Zeile hat {more}',
  'has names of columns rather than a user': 'enthält Namen von Spalten und keinen Benutzer',
  'has a member twice': 'hat einen Wert doppelt',
  'has a password of more than 72 bytes': 'hat ein Passwort von mehr als 72 Bytes',
  'has more than 100000 characters': 'hat mehr als 100000 Zeichen',
  'is not JSON': 'ist kein JSON',
  'is not a JSON object': 'ist kein JSON-Objekt',
}
