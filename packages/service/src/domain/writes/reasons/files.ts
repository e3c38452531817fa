/** The sentences for faults of an imported file, by the names of `@latchkey/management/import`. */
export const files = {
  file_hashed: {
    en: 'In line {line}, "{column}" holds a hash rather than a password; choose “hash” for the column, or leave passwords out.',
    de: 'In Zeile {line} enthält „{column}“ einen Hash und kein Passwort; wählen Sie die Spalte als Hash, oder lassen Sie Passwörter aus.',
  },
  file_two_columns: {
    en: 'In line {line}, the columns “{one}” and “{other}” are both for “{target}”, and their values differ. Choose one of them.',
    de: 'In Zeile {line} sind die Spalten „{one}“ und „{other}“ beide für „{target}“, und ihre Werte sind verschieden. Wählen Sie eine davon.',
  },
  file_empty: {
    en: 'The file is empty.',
    de: 'Die Datei ist leer.',
  },
  file_firebase_algorithm: {
    en: 'The hash parameters of Firebase name another algorithm than SCRYPT.',
    de: 'Die Hash-Parameter von Firebase nennen einen anderen Algorithmus als SCRYPT.',
  },
  file_firebase_missing: {
    en: 'The hash parameters of Firebase have no {name}. Copy all that the Firebase console shows under “Password hash parameters”.',
    de: 'Den Hash-Parametern von Firebase fehlt {name}. Kopieren Sie alles, was die Firebase-Konsole unter „Password hash parameters“ zeigt.',
  },
  file_no_user_csv: {
    en: 'The file has no user in it: it was read as CSV, and there is no row below its first line.',
    de: 'Die Datei enthält keinen Benutzer: Sie wurde als CSV gelesen, und unter ihrer ersten Zeile steht nichts.',
  },
  file_no_user_json: {
    en: 'The file has no user in it: its array is empty.',
    de: 'Die Datei enthält keinen Benutzer: Ihr Array ist leer.',
  },
  file_no_user_ndjson: {
    en: 'The file has no user in it: all of its lines are empty.',
    de: 'Die Datei enthält keinen Benutzer: Alle ihre Zeilen sind leer.',
  },
  file_no_email: {
    en: 'No column has email addresses, and every user needs one. Choose “email” for a column.',
    de: 'Keine Spalte enthält E-Mail-Adressen, und jeder Benutzer braucht eine. Wählen Sie eine Spalte für die Adresse.',
  },
  file_unclear: {
    en: 'These values may say who must not log in, each with its number of rows: {values}. Say of each below whether its users may log in, or choose “Disabled” or “Enabled” for a column of true and false.',
    de: 'Diese Werte besagen womöglich, wer sich nicht anmelden darf, jeder mit der Zahl seiner Zeilen: {values}. Sagen Sie unten für jeden, ob seine Benutzer sich anmelden dürfen, oder wählen Sie „Gesperrt“ oder „Aktiviert“ für eine Spalte aus wahr und falsch.',
  },
  file_unused: {
    en: 'No row needs what you said of “{value}”. Leave it undecided.',
    de: 'Keine Zeile braucht, was Sie für „{value}“ gesagt haben. Lassen Sie es unentschieden.',
  },
  file_heading_address: {
    en: 'The first line has an email address, and no names of columns. Put a line such as "id,email,name" in front, with a name for each column.',
    de: 'Die erste Zeile enthält eine E-Mail-Adresse und keine Namen von Spalten. Setzen Sie eine Zeile wie „id,email,name“ davor, mit einem Namen für jede Spalte.',
  },
  file_heading_value: {
    en: 'The first line has a value in column {column}, and no names of columns. Put a line such as "id,email,name" in front, with a name for each column.',
    de: 'Die erste Zeile enthält in Spalte {column} einen Wert und keine Namen von Spalten. Setzen Sie eine Zeile wie „id,email,name“ davor, mit einem Namen für jede Spalte.',
  },
  file_heading_unnamed: {
    en: 'The first line has no name for column {column}, which has addresses. Put a line such as "id,email,name" in front, with a name for each column.',
    de: 'Die erste Zeile enthält keinen Namen für Spalte {column}, in der Adressen stehen. Setzen Sie eine Zeile wie „id,email,name“ davor, mit einem Namen für jede Spalte.',
  },
  file_heading_twice: {
    en: 'The first line has no name for each column: columns {first} and {second} have the same name. Rename or delete one of them.',
    de: 'Die erste Zeile enthält nicht für jede Spalte einen Namen: Die Spalten {first} und {second} heißen gleich. Benennen Sie eine davon um, oder löschen Sie sie.',
  },
  file_heading_later: {
    en: 'The names of the columns are in line {line}. Put that line first, and leave out the lines above that have no user.',
    de: 'Die Namen der Spalten stehen in Zeile {line}. Setzen Sie diese Zeile an den Anfang, und lassen Sie die Zeilen darüber aus, die keinen Benutzer enthalten.',
  },
  file_not_utf8: {
    en: 'Line {line} is not UTF-8. If the file is Latin-1, choose that encoding.',
    de: 'Zeile {line} ist nicht UTF-8. Ist die Datei Latin-1, wählen Sie diese Kodierung.',
  },
  file_encoding: {
    en: 'The file is {encoding}; save it as UTF-8.',
    de: 'Die Datei ist {encoding}; speichern Sie sie als UTF-8.',
  },
  file_gzip: {
    en: 'The file is compressed by gzip; unpack it first.',
    de: 'Die Datei ist mit gzip gepackt; entpacken Sie sie zuerst.',
  },
  file_zip: {
    en: 'The file is a ZIP archive or a workbook; unpack it, or save the workbook as CSV in UTF-8.',
    de: 'Die Datei ist ein ZIP-Archiv oder eine Arbeitsmappe; entpacken Sie sie, oder speichern Sie die Mappe als CSV in UTF-8.',
  },
  file_quote_open: {
    en: 'In line {line}, a quotation mark is opened and not closed.',
    de: 'In Zeile {line} wird ein Anführungszeichen geöffnet und nicht geschlossen.',
  },
  file_quote_inside: {
    en: 'In line {line}, a quotation mark stands within a value; double it there.',
    de: 'In Zeile {line} steht ein Anführungszeichen in einem Wert; verdoppeln Sie es dort.',
  },
  file_misplaced: {
    en: 'In line {line}, {expected} was expected; found was {found}.',
    de: 'In Zeile {line} wurde {expected} erwartet und {found} gefunden.',
  },
  file_unclosed: {
    en: 'The file ends too early: what begins on line {line} is not closed. Export it again.',
    de: 'Die Datei endet zu früh: Was in Zeile {line} beginnt, ist nicht geschlossen. Exportieren Sie sie noch einmal.',
  },
} as const
