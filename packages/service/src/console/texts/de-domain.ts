/**
 * The sentences of `@latchkey/management/import` about a file and its rows, in German. They come in English, with their values
 * in place; see `told` in `index.ts`.
 */
export const domainInGerman: Readonly<Record<string, string>> = {
  'The file has no user in it: {reason}.': 'Die Datei enthält keinen Benutzer: {reason}.',
  'The file is empty.': 'Die Datei ist leer.',
  'The hash parameters of Firebase name another algorithm than SCRYPT.':
    'Die Hash-Parameter von Firebase nennen einen anderen Algorithmus als SCRYPT.',
  'The hash parameters of Firebase have no {name}. Copy all that the Firebase console shows under “Password hash parameters”.':
    'Den Hash-Parametern von Firebase fehlt {name}. Kopieren Sie alles, was die Firebase-Konsole unter „Password hash parameters“ zeigt.',
  'No column has email addresses, and every user needs one. Choose “email” for a column.':
    'Keine Spalte enthält E-Mail-Adressen, und jeder Benutzer braucht eine. Wählen Sie eine Spalte für die Adresse.',
  'These values may say who must not log in, each with its number of rows: {values}. Say of each below whether its users may log in, or choose “Disabled” or “Enabled” for a column of true and false.':
    'Diese Werte besagen womöglich, wer sich nicht anmelden darf, jeder mit der Zahl seiner Zeilen: {values}. Sagen Sie unten für jeden, ob seine Benutzer sich anmelden dürfen, oder wählen Sie „Gesperrt“ oder „Aktiviert“ für eine Spalte aus wahr und falsch.',
  'No row needs what you said of “{value}”. Leave it undecided.':
    'Keine Zeile braucht, was Sie für „{value}“ gesagt haben. Lassen Sie es unentschieden.',
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
