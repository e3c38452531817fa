import { settingTexts } from '../../resources/tenant-settings.ts'

/** The sentences and labels of the console in German, by their English. */
export const de = {
  ...settingTexts,
  'Line {line}: {text}': 'Zeile {line}: {text}',
  'Copied.': 'Kopiert.',
  Copy: 'Kopieren',
  'Save as a file': 'Als Datei speichern',
  'Stored now:': 'Jetzt gespeichert:',
  '(empty)': '(leer)',
  Name: 'Name',
  'Users read it where a page leads back to the application.':
    'Benutzer lesen ihn, wo eine Seite zur Anwendung zurückführt.',
  'Redirect URLs': 'Weiterleitungs-URLs',
  'Where users come back to after a login. One URL a line, in full.':
    'Wohin Benutzer nach einer Anmeldung zurückkommen. Eine vollständige URL pro Zeile.',
  'Logout URLs': 'Abmelde-URLs',
  'Where users may come back to after a logout. One URL a line, in full.':
    'Wohin Benutzer nach einer Abmeldung zurückkommen dürfen. Eine vollständige URL pro Zeile.',
  'Login URL': 'Anmelde-URL',
  'The address that begins a login at the application. Pages lead back to it after a new password.':
    'Die Adresse, die bei der Anwendung eine Anmeldung beginnt. Seiten führen nach einem neuen Passwort dorthin zurück.',
  'Client id': 'Client-ID',
  Created: 'Angelegt',
  Changed: 'Geändert',
  Exceptions: 'Ausnahmen',
  'Profile of logins': 'Profil der Anmeldungen',
  'The logins of this application follow the FAPI 2.0 Security Profile.':
    'Die Anmeldungen dieser Anwendung folgen dem FAPI 2.0 Security Profile.',
  'The metadata excepts this application from these rules.':
    'Die Metadaten nehmen diese Anwendung von diesen Regeln aus.',
  'This application’s API': 'Die API dieser Anwendung',
  'Other applications name it in latchkey_resources to get access tokens for it.':
    'Andere Anwendungen nennen sie in latchkey_resources, um Zugriffstokens für sie zu bekommen.',
  'It has no scopes. Add them to the metadata latchkey_api_scopes.':
    'Sie hat keine Scopes. Fügen Sie sie in den Metadaten latchkey_api_scopes hinzu.',
  Identifier: 'Kennung',
  'URLs and name': 'URLs und Name',
  'Keys and values for your own use. Those with a meaning: {keys}, and the exceptions {exceptions}. An empty key removes its row.':
    'Schlüssel und Werte für Ihre eigenen Zwecke. Eine Bedeutung haben: {keys}, und die Ausnahmen {exceptions}. Ein leerer Schlüssel entfernt seine Zeile.',
  Save: 'Speichern',
  'Client secret': 'Client-Geheimnis',
  'The secret of this application. Keep it where its server reads it, and nowhere else.':
    'Das Geheimnis dieser Anwendung. Bewahren Sie es dort auf, wo ihr Server es liest, und nirgends sonst.',
  'The earlier secret, accepted until {time}:': 'Das frühere Geheimnis, gültig bis {time}:',
  'The earlier secret is accepted until {time}.': 'Das frühere Geheimnis gilt noch bis {time}.',
  'Needs a login of the last five minutes, and is noted in the audit log.':
    'Verlangt eine Anmeldung in den letzten fünf Minuten und wird im Protokoll vermerkt.',
  'Show the secret': 'Geheimnis anzeigen',
  'Rotate the secret…': 'Geheimnis erneuern…',
  'Set up the kit': 'Kit einrichten',
  'An application that runs as it is pasted. Choose a framework, make a folder for it, and write this into its file {file}:':
    'Eine Anwendung, die läuft, wie sie eingefügt wird. Wählen Sie ein Framework, legen Sie einen Ordner dafür an und schreiben Sie das in seine Datei {file}:',
  'No login works yet: add {url} to the redirect URLs above first.':
    'Noch klappt keine Anmeldung: Fügen Sie oben zuerst {url} zu den Weiterleitungs-URLs hinzu.',
  'Write this into {file}:': 'Schreiben Sie das in {file}:',
  'Run it, and open {address}:': 'Starten Sie sie und öffnen Sie {address}:',
  Delete: 'Löschen',
  'Delete the application…': 'Anwendung löschen…',
  'No application yet. Register one, and its users can log in.':
    'Noch keine Anwendung. Registrieren Sie eine, dann können sich ihre Benutzer anmelden.',
  'There are no more applications.': 'Es gibt keine weiteren Anwendungen.',
  Table: 'Tabelle',
  Id: 'ID',
  'none: no login works': 'keine: keine Anmeldung möglich',
  'and {count} more': 'und {count} weitere',
  '{total} in all.': 'Insgesamt {total}.',
  'Next page': 'Nächste Seite',
  'Register an application': 'Eine Anwendung registrieren',
  'Register the application': 'Anwendung registrieren',
  When: 'Wann',
  What: 'Was',
  By: 'Wer',
  On: 'Betrifft',
  Tenant: 'Mandant',
  'the whole service': 'der ganze Dienst',
  Application: 'Anwendung',
  From: 'Von',
  Browser: 'Browser',
  Request: 'Anfrage',
  Actor: 'Wer',
  'Action begins with': 'Aktion beginnt mit',
  Target: 'Ziel',
  To: 'Bis',
  'User, with all objects': 'Benutzer, mit allen Objekten',
  Find: 'Suchen',
  Clear: 'Zurücksetzen',
  'Export as NDJSON': 'Als NDJSON exportieren',
  'Export as CSV': 'Als CSV exportieren',
  'Nothing was found. Clear the filters, or choose other days.':
    'Nichts gefunden. Setzen Sie die Filter zurück, oder wählen Sie andere Tage.',
  'Nothing is noted yet. Each change and each login appears here.':
    'Noch ist nichts vermerkt. Jede Änderung und jede Anmeldung erscheint hier.',
  Entries: 'Einträge',
  Newest: 'Neueste',
  'All that the list has.': 'Alle aus der Liste.',
  'Those you have chosen.': 'Die ausgewählten.',
  'With {text}.': 'Mit {text}.',
  disabled: 'gesperrt',
  'Only disabled users.': 'Nur gesperrte Benutzer.',
  'Only users whose address is not verified.': 'Nur Benutzer, deren Adresse nicht bestätigt ist.',
  'This is done user by user, in the background. The audit log gets an entry for each.':
    'Das geschieht im Hintergrund, Benutzer für Benutzer. Für jeden entsteht ein Eintrag im Protokoll.',
  'No user was found.': 'Kein Benutzer gefunden.',
  'No user was found. Search for another part of the address or the name, among all users.':
    'Kein Benutzer gefunden. Suchen Sie unter allen Benutzern nach einem anderen Teil der Adresse oder des Namens.',
  'No user yet. Create one, import users from a file, or allow sign-ups at the settings.':
    'Noch kein Benutzer. Legen Sie einen an, importieren Sie Benutzer aus einer Datei, oder erlauben Sie Registrierungen in den Einstellungen.',
  'No user was found. Choose another order.':
    'Kein Benutzer gefunden. Wählen Sie eine andere Reihenfolge.',
  'Back to the users': 'Zurück zu den Benutzern',
  Cancel: 'Abbrechen',
  'Register this redirect URI at the provider:':
    'Registrieren Sie diese Weiterleitungs-URI beim Anbieter:',
  'The provider asks for a redirect URI. Fill in the first field, and press “Show the redirect URI”.':
    'Der Anbieter verlangt eine Weiterleitungs-URI. Füllen Sie das erste Feld aus, und drücken Sie „Weiterleitungs-URI anzeigen“.',
  'Show the redirect URI': 'Weiterleitungs-URI anzeigen',
  '{names} share a redirect URI.': '{names} teilen sich eine Weiterleitungs-URI.',
  'All connections of earlier versions share this redirect URI.':
    'Alle Verbindungen früherer Versionen teilen sich diese Weiterleitungs-URI.',
  'A malicious provider among them could log in as users of the others.':
    'Ein bösartiger Anbieter unter ihnen könnte sich als Benutzer der anderen anmelden.',
  'Open each of them, and switch it to its own.':
    'Öffnen Sie jede, und stellen Sie sie auf ihre eigene um.',
  'Register this redirect URI at the provider, beside the old one if it takes several, and then switch to it:':
    'Registrieren Sie diese Weiterleitungs-URI beim Anbieter, neben der alten, wenn er mehrere erlaubt, und stellen Sie dann darauf um:',
  'Switch to it': 'Darauf umstellen',
  'Redirect URI of its own': 'Eigene Weiterleitungs-URI',
  'Default: {value}.': 'Vorgabe: {value}.',
  'Save it although the provider does not answer': 'Speichern, obwohl der Anbieter nicht antwortet',
  'Add the connection': 'Verbindung hinzufügen',
  'An admin can add it.': 'Ein Admin kann sie hinzufügen.',
  'Users read it on the button.': 'Benutzer lesen ihn auf der Schaltfläche.',
  'The provider names it where you register this tenant.':
    'Der Anbieter nennt sie, wo Sie diesen Mandanten registrieren.',
  Scopes: 'Scopes',
  'With spaces between them; {scope} is needed.':
    'Mit Leerzeichen dazwischen; {scope} wird gebraucht.',
  Users: 'Benutzer',
  'Trust verified addresses': 'Bestätigten Adressen vertrauen',
  'An address that the provider has verified counts as proven here.':
    'Eine Adresse, die der Anbieter bestätigt hat, gilt hier als nachgewiesen.',
  'Second step required from': 'Zweiter Schritt verlangt ab',
  'A day such as 2026-12-31. Until then users are asked to add a second step and can postpone it; from then on, each login needs one. Empty: it is not required.':
    'Ein Tag wie 2026-12-31. Bis dahin werden Benutzer gebeten, einen zweiten Schritt hinzuzufügen, und können ihn aufschieben; ab dann braucht jede Anmeldung einen. Leer: Er wird nicht verlangt.',
  'New passwords': 'Neue Passwörter',
  'Least length': 'Mindestlänge',
  'Characters of a password that a user chooses: 8, where it is empty, to 24.':
    'Zeichen eines Passworts, das ein Benutzer wählt: 8, wenn das Feld leer ist, bis 24.',
  'Ask Pwned Passwords': 'Bei Pwned Passwords nachfragen',
  'New passwords are looked for among those of known data leaks. Five digits of a hash leave this service, and never the password.':
    'Neue Passwörter werden unter denen bekannter Datenlecks gesucht. Fünf Stellen eines Hashs verlassen diesen Dienst, nie das Passwort.',
  'New users': 'Neue Benutzer',
  'A visitor without an account gets one, where the tenant allows sign-ups.':
    'Wer noch kein Konto hat, bekommt eines, wenn der Mandant Registrierungen erlaubt.',
  'Private key': 'Privater Schlüssel',
  'The .p8 file of Apple, as text.': 'Die .p8-Datei von Apple, als Text.',
  'It is stored encrypted, and never shown again.':
    'Es wird verschlüsselt gespeichert und nie wieder angezeigt.',
  'Users do not see it: {setting} is off at the settings.':
    'Benutzer sehen sie nicht: {setting} ist in den Einstellungen aus.',
  State: 'Zustand',
  enabled: 'aktiv',
  Provider: 'Anbieter',
  'Redirect URI': 'Weiterleitungs-URI',
  'Team and key': 'Team und Schlüssel',
  'The provider does not answer as one.': 'Der Anbieter antwortet nicht wie ein Anbieter.',
  'The provider answers.': 'Der Anbieter antwortet.',
  'Test it now': 'Jetzt prüfen',
  'Disable…': 'Sperren…',
  Enable: 'Aktivieren',
  'Remove…': 'Entfernen…',
  Change: 'Ändern',
  'Key id': 'Schlüssel-ID',
  Secret: 'Geheimnis',
  'Replace the secret': 'Geheimnis ersetzen',
  'Needs a login of the last five minutes.': 'Verlangt eine Anmeldung in den letzten fünf Minuten.',
  'Log in again first': 'Zuerst neu anmelden',
  'Users do not see connections: {setting} is off at the settings.':
    'Benutzer sehen keine Verbindungen: {setting} ist in den Einstellungen aus.',
  'No connection yet. Add one to let users log in with an account elsewhere, such as Google or Microsoft.':
    'Noch keine Verbindung. Fügen Sie eine hinzu, damit sich Benutzer mit einem Konto anderswo anmelden können, zum Beispiel bei Google oder Microsoft.',
  'Add a connection': 'Eine Verbindung hinzufügen',
  Field: 'Feld',
  Now: 'Jetzt',
  Then: 'Danach',
  'The user logs in with {address} from then on. The address is not verified until the user follows a link that is sent there.':
    'Ab dann meldet sich der Benutzer mit {address} an. Die Adresse gilt erst als bestätigt, wenn der Benutzer einem Link folgt, der dorthin geschickt wird.',
  'Second operator for a new address': 'Zweiter Operator bei einer neuen Adresse',
  '{address} is told by mail, with a link that contests the change.':
    '{address} erfährt es per E-Mail und kann über einen Link widersprechen.',
  'Until another operator marks the new address as verified, links to it don’t work for a day.':
    'Links an die neue Adresse funktionieren erst nach einem Tag oder sobald ein anderer Operator sie als bestätigt markiert.',
  'No message goes out, as {address} was never verified.':
    'Niemand erfährt es, denn {address} wurde nie bestätigt.',
  'No message is sent.': 'Es wird keine Nachricht verschickt.',
  'Change it': 'Ändern',
  'Back to the form': 'Zurück zum Formular',
  'Another address has to be verified again.': 'Eine andere Adresse muss neu bestätigt werden.',
  'Keys and values for your own use. An empty key removes its row.':
    'Schlüssel und Werte für Ihre eigenen Zwecke. Ein leerer Schlüssel entfernt seine Zeile.',
  'Show what changes': 'Änderungen zeigen',
  'Choose the password of {address}. You log in with it next, and can add a second step in your account.':
    'Wählen Sie das Passwort von {address}. Damit melden Sie sich gleich an; einen zweiten Schritt können Sie in Ihrem Konto einrichten.',
  'Choose the password of {address}. You log in with it next, and add a second step then: a passkey, a security key or an authenticator app. The console asks for it at each login.':
    'Wählen Sie das Passwort von {address}. Damit melden Sie sich gleich an und richten dann einen zweiten Schritt ein: einen Passkey, einen Sicherheitsschlüssel oder eine Authenticator-App. Die Konsole fragt bei jeder Anmeldung danach.',
  Password: 'Passwort',
  'At least 8 characters. A long sentence is better than odd signs.':
    'Mindestens 8 Zeichen. Ein langer Satz ist besser als seltsame Zeichen.',
  'Not a common password, and none that is known from a data leak.':
    'Kein häufiges Passwort und keines, das aus einem Datenleck bekannt ist.',
  'Not your address, and not the name of this product.':
    'Nicht Ihre Adresse und nicht der Name dieses Produkts.',
  'This password is known from a data leak, so attackers try it. Choose another one.':
    'Dieses Passwort ist aus einem Datenleck bekannt; Angreifer probieren es aus. Wählen Sie ein anderes.',
  'Set the password': 'Passwort setzen',
  '{act}: {users}, begun {time}': '{act}: {users}, begonnen {time}',
  Progress: 'Fortschritt',
  Done: 'Erledigt',
  Refused: 'Abgelehnt',
  'This page is loaded again every three seconds. You may leave it.':
    'Diese Seite wird alle drei Sekunden neu geladen. Sie können sie verlassen.',
  'Entries of the audit log': 'Einträge im Protokoll',
  User: 'Benutzer',
  Reason: 'Grund',
  'There was no job yet. Choose users in their list to begin one.':
    'Noch kein Auftrag. Wählen Sie Benutzer in ihrer Liste aus, um einen zu beginnen.',
  'To the users': 'Zu den Benutzern',
  Begun: 'Begonnen',
  'You have logged in again. Your form was kept, and nothing was done yet.':
    'Sie haben sich neu angemeldet. Ihr Formular wurde aufbewahrt, und noch ist nichts geschehen.',
  'Go on with it': 'Damit fortfahren',
  'Back to the page without it': 'Ohne das Formular zurück zur Seite',
  Events: 'Ereignisse',
  Event: 'Ereignis',
  'Enter the number of users to confirm': 'Geben Sie zur Bestätigung die Zahl der Benutzer ein',
  'It is {number}.': 'Es sind {number}.',
  'Nothing was done: enter {number}, the number of users.':
    'Es wurde nichts getan: Geben Sie {number} ein, die Zahl der Benutzer.',
  'Stop the job': 'Auftrag anhalten',
  'Undo a job': 'Auftrag rückgängig machen',
  'Undo the job…': 'Auftrag rückgängig machen…',
  'It undoes an earlier job': 'Er macht einen früheren Auftrag rückgängig',
  'The job changed {users}.': 'Geändert hat der Auftrag: {users}.',
  'Undoing it changes the users on whom no decision was made since.':
    'Rückgängig gemacht wird er bei den Benutzern, über die seitdem nicht neu entschieden wurde.',
  'Left as they are, as they were disabled, enabled, contested or deleted since: {count}.':
    'Unverändert bleiben, weil seitdem gesperrt, aktiviert, angefochten oder gelöscht: {count}.',
  'There is nothing to undo.': 'Es gibt nichts rückgängig zu machen.',
  'Back to the job': 'Zurück zum Auftrag',
  '{who} undid a job, which enabled users again: {on}.':
    '{who} hat einen Auftrag rückgängig gemacht und Benutzer wieder aktiviert: {on}.',
  '{who} undid a job, which disabled users again: {on}.':
    '{who} hat einen Auftrag rückgängig gemacht und Benutzer wieder gesperrt: {on}.',
  'It stops after the users under way, at most 100 of them.':
    'Der Auftrag hält nach den Benutzern an, die gerade an der Reihe sind, höchstens 100.',
  'The job was stopped. The users counted under “Done” are changed, all others are not.':
    'Der Auftrag wurde angehalten. Die unter „Erledigt“ gezählten Benutzer sind geändert, alle anderen nicht.',
  'The operator who began the job may no longer do this. So the service has stopped it.':
    'Der Operator, der den Auftrag begonnen hat, darf das nicht mehr. Deshalb hat der Dienst ihn angehalten.',
  '{who} stopped a job for many users: {on}.':
    '{who} hat einen Auftrag für viele Benutzer angehalten: {on}.',
  'Make an API key': 'API-Schlüssel erzeugen',
  'Change the role of an operator': 'Rolle eines Operators ändern',
  'Enable an operator': 'Operator aktivieren',
  'Download the audit log': 'Protokoll herunterladen',
  'Change settings of a tenant': 'Einstellungen eines Mandanten ändern',
  'Change an endpoint': 'Endpunkt ändern',
  'Change an application': 'Anwendung ändern',
  'Show the secret of an application': 'Geheimnis einer Anwendung anzeigen',
  'Rotate the secret of an application': 'Geheimnis einer Anwendung erneuern',
  'Change a connection': 'Verbindung ändern',
  'Replace the secret of a connection': 'Geheimnis einer Verbindung ersetzen',
  'Enable a connection': 'Verbindung aktivieren',
  'Add a user': 'Benutzer anlegen',
  'Download the users': 'Benutzer herunterladen',
  'Act for many users': 'Aktion für viele Benutzer',
  'Mark the address of a user as verified': 'Adresse eines Benutzers als bestätigt markieren',
  'The form is kept for ten minutes, and is used once.':
    'Das Formular wird zehn Minuten lang aufgehoben und einmal verwendet.',
  'The key {name} is shown once. It is stored as a hash.':
    'Der Schlüssel {name} wird einmal angezeigt. Gespeichert wird nur ein Hash.',
  'No API key yet. Make one: applications and scripts call the management API with it.':
    'Noch kein API-Schlüssel. Erzeugen Sie einen: Anwendungen und Skripte rufen damit die Verwaltungs-API auf.',
  Tenants: 'Mandanten',
  Access: 'Zugriff',
  Expires: 'Läuft ab',
  'Used last': 'Zuletzt benutzt',
  'ends in {letters}': 'endet auf {letters}',
  all: 'alle',
  read: 'lesen',
  write: 'schreiben',
  withdrawn: 'zurückgezogen',
  expired: 'abgelaufen',
  works: 'gültig',
  'waits for confirmation': 'wartet auf Bestätigung',
  'Withdraw…': 'Zurückziehen…',
  'Make a key': 'Einen Schlüssel erzeugen',
  'Its purpose, to tell keys apart.': 'Wofür er ist, damit Sie die Schlüssel unterscheiden können.',
  'The key reaches this tenant alone.': 'Der Schlüssel erreicht nur diesen Mandanten.',
  'Only these': 'Nur diese',
  'Domains of tenants': 'Domains von Mandanten',
  'Separate several by a comma or a space. Ids work, too.':
    'Mehrere durch Komma oder Leerzeichen trennen. IDs gehen auch.',
  'All tenants, those of the future too': 'Alle Mandanten, auch künftige',
  Read: 'Lesen',
  'Read and write': 'Lesen und schreiben',
  'Good for how many days': 'Wie viele Tage er gilt',
  'Make the key': 'Schlüssel erzeugen',
  'Latchkey console': 'Latchkey-Konsole',
  'Skip to the content': 'Zum Inhalt springen',
  Menu: 'Menü',
  Pages: 'Seiten',
  'Pages of the tenant': 'Seiten des Mandanten',
  'The same on the command line': 'Dasselbe auf der Befehlszeile',
  'Its entry in the audit log': 'Der Eintrag dazu im Protokoll',
  Metadata: 'Metadaten',
  'Key {number}': 'Schlüssel {number}',
  key: 'Schlüssel',
  'Value {number}': 'Wert {number}',
  value: 'Wert',
  'Your ways to log in': 'Ihre Anmeldemethoden',
  'Log out': 'Abmelden',
  'Email address': 'E-Mail-Adresse',
  'Optional.': 'Optional.',
  'The address is known to be the user’s': 'Es ist bekannt, dass die Adresse dem Benutzer gehört',
  'Send an invitation: a link to set a password, good for 7 days':
    'Einladung schicken: ein Link zum Setzen des Passworts, 7 Tage gültig',
  'Language of the invitation': 'Sprache der Einladung',
  English: 'Englisch',
  German: 'Deutsch',
  'Create the user': 'Benutzer anlegen',
  'Send this link to {address}. It is shown once, is good once, and for 24 hours.':
    'Schicken Sie diesen Link an {address}. Er wird einmal angezeigt, gilt einmal und 24 Stunden lang.',
  Address: 'Adresse',
  Role: 'Rolle',
  'Ways to log in': 'Anmeldemethoden',
  'Last login': 'Letzte Anmeldung',
  'since {time}': 'seit {time}',
  'all tenants': 'alle Mandanten',
  'nothing yet': 'noch nichts',
  never: 'nie',
  invited: 'eingeladen',
  active: 'aktiv',
  you: 'Sie selbst',
  'Invite an operator': 'Operator einladen',
  yes: 'ja',
  no: 'nein',
  'What the roles may do': 'Was die Rollen dürfen',
  May: 'Darf',
  'Read; no secret is shown': 'Lesen; kein Geheimnis wird gezeigt',
  'Download users and the audit log': 'Benutzer und das Protokoll herunterladen',
  'Help users: send links, end sessions, let them try again':
    'Benutzern helfen: Links senden, Sitzungen beenden, sie es wieder versuchen lassen',
  'Log in as a user, where the tenant allows it':
    'Sich als Benutzer anmelden, wenn der Mandant es erlaubt',
  'Change tenants and users': 'Mandanten und Benutzer ändern',
  'Make, show and rotate secrets and API keys':
    'Geheimnisse und API-Schlüssel anlegen, zeigen und wechseln',
  'Invite, change, disable and remove operators':
    'Operatoren einladen, ändern, sperren und entfernen',
  'An owner sees all.': 'Ein Inhaber sieht alle.',
  'Make the invitation': 'Einladung erzeugen',
  'Send the invitation': 'Einladung senden',
  'Make a link to copy': 'Link zum Kopieren erzeugen',
  'Send the invitation again': 'Einladung noch einmal senden',
  'Make a new link to copy': 'Neuen Link zum Kopieren erzeugen',
  'Withdraw the invitation…': 'Einladung zurückziehen…',
  'until {time}': 'bis {time}',
  'invitation expired': 'Einladung abgelaufen',
  'Last login by': 'Letzte Anmeldung mit',
  'Any way': 'Beliebig',
  Passkey: 'Passkey',
  Code: 'Code',
  'Never logged in': 'Nie angemeldet',
  'No login since': 'Keine Anmeldung seit',
  'The way is known of logins since this release.':
    'Die Methode ist von Anmeldungen seit dieser Version bekannt.',
  'The list has the users who were there before that day and have not logged in since, also those who never have. The day begins at midnight in UTC.':
    'Die Liste enthält die Benutzer, die es vor diesem Tag gab und die sich seitdem nicht angemeldet haben, auch nie angemeldete. Der Tag beginnt um Mitternacht in UTC.',
  'Last login: {way}.': 'Letzte Anmeldung: {way}.',
  'No login since {day}.': 'Keine Anmeldung seit {day}.',
  Texts: 'Texte',
  Text: 'Text',
  'Words of your own in messages and on pages. What you leave empty keeps ours. Warnings, such as that of a changed password, always have our words.':
    'Ihre eigenen Texte in Nachrichten und auf Seiten. Wo Sie nichts eintragen, steht unser Text. Warnungen, etwa bei einem geänderten Passwort, haben immer unseren.',
  'Ours: {text}': 'Unserer: {text}',
  'Placeholders: {places}.': 'Platzhalter: {places}.',
  'It cannot leave out {places}.': '{places} darf nicht fehlen.',
  'At most {count} bytes.': 'Höchstens {count} Bytes.',
  'Mail: confirm an address': 'E-Mail: Adresse bestätigen',
  'Mail: new password': 'E-Mail: neues Passwort',
  'Mail: invitation': 'E-Mail: Einladung',
  'Mail: code of a second step': 'E-Mail: Code eines zweiten Schritts',
  'Mail: code of a login': 'E-Mail: Code einer Anmeldung',
  'Login page': 'Anmeldeseite',
  'Sign-up page': 'Registrierungsseite',
  Subject: 'Betreff',
  'First paragraph': 'Erster Absatz',
  Heading: 'Überschrift',
  Help: 'Hilfe',
  '(ours)': '(unserer)',
  'The message as a page': 'Die Nachricht als Seite',
  'The message as plain text': 'Die Nachricht als einfacher Text',
  'Send a test to {address}': 'Einen Test an {address} senden',
  'The test is on its way to your own address.': 'Der Test ist an Ihre eigene Adresse unterwegs.',
  'The page in light colors': 'Die Seite in hellen Farben',
  'The page in dark colors': 'Die Seite in dunklen Farben',
  '{who} sent a test of a message to their own address.':
    '{who} hat einen Test einer Nachricht an die eigene Adresse gesendet.',
  '{group}, {text} ({language})': '{group}, {text} ({language})',
  'being recovered': 'wird wiederhergestellt',
  'recovery expired': 'Wiederherstellung abgelaufen',
  'The link of a recovery is made by {command} alone.':
    'Den Link einer Wiederherstellung erstellt nur {command}.',
  'Mail of {time}:': 'E-Mail vom {time}:',
  'The invitation is on its way by mail. The list shows what became of the message.':
    'Die Einladung ist per E-Mail unterwegs. Die Liste zeigt, was aus der Nachricht geworden ist.',
  'A mail server is not set up, so the link is shown to you, to send it yourself.':
    'Es ist kein Mailserver eingerichtet; deshalb wird der Link Ihnen angezeigt, damit Sie ihn schicken.',
  'Language of the message': 'Sprache der Nachricht',
  'Invitation of an operator': 'Einladung eines Operators',
  'Notice of an accepted invitation': 'Nachricht über eine angenommene Einladung',
  'All messages of the last 7 days': 'Alle Nachrichten der letzten 7 Tage',
  Show: 'Anzeigen',
  'No message of the last 7 days is in this state. Choose all messages.':
    'Keine Nachricht der letzten 7 Tage ist in diesem Zustand. Wählen Sie alle Nachrichten.',
  'No message in the last 7 days. The page of a user sends one.':
    'Keine Nachricht in den letzten 7 Tagen. Auf der Seite eines Benutzers können Sie eine senden.',
  Messages: 'Nachrichten',
  Message: 'Nachricht',
  'Last answer of the mail server': 'Letzte Antwort des Mailservers',
  '{user}, deleted': '{user}, gelöscht',
  '1 attempt': '1 Versuch',
  '{count} attempts': '{count} Versuche',
  'Next attempt {time}': 'Nächster Versuch {time}',
  'at {time}': 'um {time}',
  'Send again': 'Erneut senden',
  '“Send again” makes a new link; the one before opens nothing any more.':
    '„Erneut senden“ erzeugt einen neuen Link; der vorige öffnet dann nichts mehr.',
  'You log in with a password alone. With a second step, a password that leaks opens nothing.':
    'Sie melden sich nur mit einem Passwort an. Mit einem zweiten Schritt öffnet ein Passwort, das bekannt wird, nichts.',
  'Add a passkey or an authenticator app': 'Passkey oder Authenticator-App hinzufügen',
  'Needs attention': 'Das braucht Ihre Aufmerksamkeit',
  mail: 'E-Mail',
  'A message of {tenant} could not be sent.':
    'Eine Nachricht von {tenant} konnte nicht gesendet werden.',
  '{count} messages of {tenant} could not be sent.':
    '{count} Nachrichten von {tenant} konnten nicht gesendet werden.',
  '{count} or more messages of {tenant} could not be sent.':
    '{count} oder mehr Nachrichten von {tenant} konnten nicht gesendet werden.',
  'A message of {tenant} was given up in the last 24 hours.':
    'Eine Nachricht von {tenant} wurde in den letzten 24 Stunden aufgegeben.',
  '{count} messages of {tenant} were given up in the last 24 hours.':
    '{count} Nachrichten von {tenant} wurden in den letzten 24 Stunden aufgegeben.',
  '{count} or more messages of {tenant} were given up in the last 24 hours.':
    '{count} oder mehr Nachrichten von {tenant} wurden in den letzten 24 Stunden aufgegeben.',
  'Mail of one more tenant was given up too.':
    'Auch Nachrichten eines weiteren Mandanten wurden aufgegeben.',
  'Mail of {count} more tenants was given up too.':
    'Auch Nachrichten von {count} weiteren Mandanten wurden aufgegeben.',
  'Last answer of the mail server: {answer}': 'Letzte Antwort des Mailservers: {answer}',
  Outbox: 'Postausgang',
  'So is mail of {count} more tenants.': 'Ebenso Nachrichten von {count} weiteren Mandanten.',
  System: 'System',
  'API key': 'API-Schlüssel',
  'The key {name} expires {time}.': 'Der Schlüssel {name} läuft {time} ab.',
  'API keys': 'API-Schlüssel',
  'Nothing needs your attention.': 'Nichts braucht Ihre Aufmerksamkeit.',
  'API keys that work': 'Gültige API-Schlüssel',
  'There is no tenant yet.': 'Es gibt noch keinen Mandanten.',
  'Create the first one': 'Den ersten anlegen',
  'All tenants': 'Alle Mandanten',
  'This can’t be undone.': 'Das lässt sich nicht rückgängig machen.',
  '{name}, or its id': '{name} oder die ID',
  'In seconds: {length}.': 'In Sekunden: {length}.',
  'In seconds.': 'In Sekunden.',
  'Your change is {after}. Stored now: {before}':
    'Ihre Änderung ist {after}. Jetzt gespeichert: {before}',
  Setting: 'Einstellung',
  '(not there)': '(nicht da)',
  'Keys and values for your own use. Those with a meaning, beside the ones that have a field above: {keys}. An empty key removes its row.':
    'Schlüssel und Werte für Ihre eigenen Zwecke. Eine Bedeutung haben, außer denen mit einem Feld weiter oben: {keys}. Ein leerer Schlüssel entfernt seine Zeile.',
  Logo: 'Logo',
  'Logo…': 'Logo …',
  'Upload a logo': 'Logo hochladen',
  'Change the logo of a tenant': 'Logo eines Mandanten ändern',
  'No image is uploaded. Pages and messages show the image at the URL among the settings, or the name.':
    'Es ist kein Bild hochgeladen. Seiten und Nachrichten zeigen das Bild an der URL unter den Einstellungen oder den Namen.',
  'Another image': 'Anderes Bild',
  'Upload an image': 'Bild hochladen',
  'PNG, JPEG or WebP, at most {bytes} bytes and {side} pixels a side. SVG is refused, as it can hold scripts. The file is shown as it is: the place and the camera in a photo stay in it.':
    'PNG, JPEG oder WebP, höchstens {bytes} Bytes und {side} Pixel je Seite. SVG wird abgelehnt, weil es Skripte enthalten kann. Die Datei wird unverändert gezeigt: Ort und Kamera eines Fotos bleiben darin.',
  'Take the image away': 'Bild entfernen',
  'Messages that were sent before show no image any more.':
    'Bereits versandte Nachrichten zeigen dann kein Bild mehr.',
  'It takes the place of the image that is stored. Messages that were sent before show no image any more.':
    'Es ersetzt das gespeicherte Bild. Bereits versandte Nachrichten zeigen dann kein Bild mehr.',
  'Hash (SHA-256)': 'Hash (SHA-256)',
  Pixels: 'Pixel',
  Bytes: 'Bytes',
  'Look at both: the image has to be readable on {light} and on {dark}. One with a background of its own is.':
    'Sehen Sie sich beide an: Das Bild muss auf {light} und auf {dark} lesbar sein. Eines mit eigenem Hintergrund ist es.',
  'An image is uploaded; it stands before the one at this URL.':
    'Ein Bild ist hochgeladen; es geht dem an dieser URL vor.',
  'In place of its URL, an image can be uploaded.':
    'Statt seiner URL kann ein Bild hochgeladen werden.',
  Sections: 'Abschnitte',
  'Nothing is saved before you have reviewed it.':
    'Nichts wird gespeichert, bevor Sie es geprüft haben.',
  'A field was refused. Nothing is saved.': 'Ein Feld wurde abgelehnt. Nichts ist gespeichert.',
  '{count} fields were refused. Nothing is saved.':
    '{count} Felder wurden abgelehnt. Nichts ist gespeichert.',
  'The marked changes need a login of the last five minutes. If yours is older, you are asked for it, and the form is kept.':
    'Die markierten Änderungen verlangen eine Anmeldung der letzten fünf Minuten. Ist Ihre älter, werden Sie danach gefragt, und das Formular bleibt erhalten.',
  'new login': 'neue Anmeldung',
  'Review the change': 'Änderung prüfen',
  'ID tokens are signed by the first key. Applications read all of them, so a rotation ends no session and no token.':
    'ID-Tokens werden mit dem ersten Schlüssel signiert. Anwendungen lesen alle, deshalb beendet ein Wechsel keine Sitzung und kein Token.',
  'No key yet. The first login makes one.':
    'Noch kein Schlüssel. Die erste Anmeldung erzeugt einen.',
  Made: 'Erzeugt',
  'Signed until': 'Signierte bis',
  published: 'veröffentlicht',
  signs: 'signiert',
  now: 'jetzt',
  Rotate: 'Wechseln',
  'Make a new key…': 'Neuen Schlüssel erzeugen…',
  'An earlier key may have leaked…': 'Ein früherer Schlüssel ist vielleicht bekannt geworden…',
  'A store can’t write: {reason}': 'Ein Speicher kann nicht schreiben: {reason}',
  'All stores can be written to.': 'In alle Speicher kann geschrieben werden.',
  Version: 'Version',
  'Node.js': 'Node.js',
  'Running since': 'Läuft seit',
  Processes: 'Prozesse',
  'Any number serve this data; this page is of one of them.':
    'Beliebig viele bedienen diese Daten; diese Seite ist von einem davon.',
  'This one alone.': 'Nur dieser eine.',
  'Tenants and users': 'Mandanten und Benutzer',
  'Sessions and tokens': 'Sitzungen und Tokens',
  Queues: 'Warteschlangen',
  Queue: 'Warteschlange',
  Waiting: 'Wartend',
  'Refused so far': 'Bisher abgelehnt',
  'Waiting since': 'Wartet seit',
  'Deleted tenants': 'Gelöschte Mandanten',
  'No rows of a deleted tenant are left.': 'Von gelöschten Mandanten sind keine Zeilen übrig.',
  Deleted: 'Gelöscht',
  'Users erased': 'Benutzer endgültig gelöscht',
  '{done} of {all}': '{done} von {all}',
  'Nothing reaches these tenants. Load the page again to see the progress.':
    'Diese Mandanten sind nicht mehr erreichbar. Laden Sie die Seite neu, um den Fortschritt zu sehen.',
  Applications: 'Anwendungen',
  Support: 'Support',
  Settings: 'Einstellungen',
  on: 'an',
  off: 'aus',
  'The tenant goes with all its users and applications.':
    'Mit dem Mandanten verschwinden alle seine Benutzer und Anwendungen.',
  'Delete the tenant…': 'Mandanten löschen…',
  'The beginning of a domain or a name': 'Anfang einer Domain oder eines Namens',
  Search: 'Suchen',
  'Search everywhere': 'Überall suchen',
  'Part of a name or an address, or an id': 'Teil eines Namens oder einer Adresse, oder eine ID',
  'Users, applications and settings are those of {tenant}.':
    'Benutzer, Anwendungen und Einstellungen sind die von {tenant}.',
  'Search all tenants': 'In allen Mandanten suchen',
  'Users and applications are those of the first {count} tenants. Open a tenant and search there to find those of another.':
    'Benutzer und Anwendungen sind die der ersten {count} Mandanten. Öffnen Sie einen Mandanten und suchen Sie dort, um die eines anderen zu finden.',
  'Nothing was found. Search for another part.':
    'Nichts gefunden. Suchen Sie nach einem anderen Teil.',
  'Tenants that you can go to': 'Mandanten, zu denen Sie gehen können',
  'One place was found.': 'Eine Stelle gefunden.',
  '{count} places were found.': '{count} Stellen gefunden.',
  'At most {count} of a kind are shown for each tenant: a longer part finds fewer.':
    'Je Mandant werden höchstens {count} einer Art gezeigt: Ein längerer Teil findet weniger.',
  '{name} <{email}>': '{name} <{email}>',
  Operator: 'Operator',
  Page: 'Seite',
  'No tenant that you may see was found. Search for the beginning of a domain or a name.':
    'Kein Mandant gefunden, den Sie sehen dürfen. Suchen Sie nach dem Anfang einer Domain oder eines Namens.',
  'No tenant yet. An owner or an admin of all tenants creates one.':
    'Noch kein Mandant. Ein Inhaber oder ein Admin aller Mandanten legt einen an.',
  'Create a tenant': 'Einen Mandanten anlegen',
  'Shown on its pages.': 'Steht auf seinen Seiten.',
  'Where its users log in. It must lead to this service.':
    'Wo sich seine Benutzer anmelden. Sie muss zu diesem Dienst führen.',
  'Create the tenant': 'Mandanten anlegen',
  'Nothing keeps this user from logging in.': 'Nichts hindert diesen Benutzer an der Anmeldung.',
  verified: 'bestätigt',
  'not verified': 'nicht bestätigt',
  'disabled: cannot log in': 'gesperrt: keine Anmeldung möglich',
  'Edit…': 'Bearbeiten…',
  'Copy of their data': 'Kopie der Daten',
  'Download the data of a user': 'Die Daten eines Benutzers herunterladen',
  'Mark the address as verified': 'Adresse als bestätigt markieren',
  'Delete…': 'Löschen…',
  'from another system, until the next login':
    'aus einem anderen System, bis zur nächsten Anmeldung',
  'None yet. An invitation lets this user set a password.':
    'Noch keine. Mit einer Einladung kann dieser Benutzer ein Passwort setzen.',
  Kind: 'Art',
  Added: 'Hinzugefügt',
  'Last used': 'Zuletzt benutzt',
  Mail: 'E-Mail',
  Language: 'Sprache',
  'The user’s ({language})': 'Die des Benutzers ({language})',
  'The user’s (not known: English)': 'Die des Benutzers (nicht bekannt: Englisch)',
  Send: 'Senden',
  'No message went to this user in the last 7 days.':
    'An diesen Benutzer ging in den letzten 7 Tagen keine Nachricht.',
  'Outbox of the tenant': 'Postausgang des Mandanten',
  Sessions: 'Sitzungen',
  'Not logged in anywhere.': 'Nirgends angemeldet.',
  'Logged in': 'Angemeldet',
  '{browser} on {system}': '{browser} auf {system}',
  'Unknown browser': 'Unbekannter Browser',
  End: 'Beenden',
  'End all sessions': 'Alle Sitzungen beenden',
  'Devices on which the second step isn’t asked for.':
    'Geräte, auf denen nicht nach dem zweiten Schritt gefragt wird.',
  'Trusted since': 'Vertraut seit',
  Forget: 'Vergessen',
  'Programs with access': 'Programme mit Zugriff',
  'Unregistered clients and programs on devices, which the user has allowed to act on their behalf.':
    'Nicht registrierte Clients und Programme auf Geräten, denen der Benutzer erlaubt hat, in seinem Namen zu handeln.',
  Allowed: 'Erlaubt',
  Withdraw: 'Entziehen',
  History: 'Verlauf',
  'Nothing is noted.': 'Nichts vermerkt.',
  'All entries about this user': 'Alle Einträge zu diesem Benutzer',
  'Part of an address or a name, @domain, or an id':
    'Teil einer Adresse oder eines Namens, @Domain oder eine ID',
  Which: 'Welche',
  'All users': 'Alle Benutzer',
  Disabled: 'Gesperrt',
  'Address not verified': 'Adresse nicht bestätigt',
  Order: 'Reihenfolge',
  'Oldest first': 'Älteste zuerst',
  'Newest first': 'Neueste zuerst',
  'By name': 'Nach Name',
  'By last login': 'Nach letzter Anmeldung',
  'Users without a name are not in this list.': 'Benutzer ohne Namen stehen nicht in dieser Liste.',
  'The list has the users of every state who have logged in, the latest first.':
    'Die Liste zeigt Benutzer jedes Zustands, die sich angemeldet haben, die letzten zuerst.',
  'This database finds only the beginning of an address or a name: it has no extension {name}.':
    'Diese Datenbank findet nur den Anfang einer Adresse oder eines Namens: Ihr fehlt die Erweiterung {name}.',
  Choose: 'Auswählen',
  'All on this page': 'Alle auf dieser Seite',
  '{number} chosen': '{number} ausgewählt',
  '{number} of {total} users chosen': '{number} von {total} Benutzern ausgewählt',
  'Copy the id': 'ID kopieren',
  'Copy {id}': '{id} kopieren',
  'Show the names in the API': 'Namen in der API zeigen',
  People: 'Personen',
  Login: 'Anmeldung',
  Integration: 'Anbindung',
  'With these users': 'Mit diesen Benutzern',
  'The chosen ones…': 'Die ausgewählten…',
  'All in this list…': 'Alle in dieser Liste…',
  'Add the endpoint': 'Endpunkt hinzufügen',
  URL: 'URL',
  'Events are sent here by POST: https, on the public internet.':
    'Ereignisse werden per POST hierher geschickt: https, im öffentlichen Internet.',
  Description: 'Beschreibung',
  'Types of events': 'Arten von Ereignissen',
  'None chosen: all but {first} and {second}.': 'Keine gewählt: alle außer {first} und {second}.',
  'The secret of this endpoint is shown once. Your application verifies each event with it.':
    'Das Geheimnis dieses Endpunkts wird einmal angezeigt. Ihre Anwendung prüft damit jedes Ereignis.',
  'Send a test': 'Test senden',
  'Switch on': 'Einschalten',
  'Switch off…': 'Ausschalten…',
  'New secret…': 'Neues Geheimnis…',
  'Events of the last 30 days': 'Ereignisse der letzten 30 Tage',
  'All events': 'Alle Ereignisse',
  'No event is in this state. Choose all events.':
    'Kein Ereignis ist in diesem Zustand. Wählen Sie alle Ereignisse.',
  'No event yet. A test is not listed here: its answer is shown above as soon as it is sent.':
    'Noch kein Ereignis. Ein Test steht nicht in dieser Liste: Seine Antwort erscheint oben, sobald er gesendet ist.',
  'Last answer': 'Letzte Antwort',
  'after {millis} ms': 'nach {millis} ms',
  'Send once more': 'Noch einmal senden',
  'All events since (UTC)': 'Alle Ereignisse seit (UTC)',
  'They keep their ids, so a receiver that handled one already ignores it, as our kit does for two days.':
    'Sie behalten ihre IDs. Ein Empfänger, der eines schon verarbeitet hat, übergeht es, unser Kit zwei Tage lang.',
  'No endpoint yet. Add one, and your application is told when a user is disabled, an address changes or a secret is rotated.':
    'Noch kein Endpunkt. Fügen Sie einen hinzu, dann erfährt Ihre Anwendung, wenn ein Benutzer gesperrt, eine Adresse geändert oder ein Geheimnis erneuert wird.',
  Endpoint: 'Endpunkt',
  'all but logins': 'alle außer Anmeldungen',
  'Authenticator app': 'Authenticator-App',
  'Recovery codes': 'Wiederherstellungscodes',
  'Passkey or security key': 'Passkey oder Sicherheitsschlüssel',
  'Account at a provider': 'Konto bei einem Anbieter',
  'Logins, last 24 hours': 'Anmeldungen, letzte 24 Stunden',
  'Refused logins, last 24 hours': 'Abgelehnte Anmeldungen, letzte 24 Stunden',
  'Mails, last 24 hours': 'E-Mails, letzte 24 Stunden',
  'Logins of the last 30 days': 'Anmeldungen der letzten 30 Tage',
  'The latest {limit} logins are counted, and the days that they fill.':
    'Gezählt sind die letzten {limit} Anmeldungen und die Tage, die sie füllen.',
  'No logins in the last 30 days.': 'Keine Anmeldungen in den letzten 30 Tagen.',
  'Mails of the last 30 days': 'E-Mails der letzten 30 Tage',
  'No mail was sent in the last 30 days.': 'In den letzten 30 Tagen wurde keine E-Mail gesendet.',
  Sent: 'Gesendet',
  'Given up': 'Aufgegeben',
  'Most in a day: {count}': 'Höchstens an einem Tag: {count}',
  'As a table': 'Als Tabelle',
  'Day (UTC)': 'Tag (UTC)',
  Logins: 'Anmeldungen',
  'more than {count}': 'mehr als {count}',
  'Another person changed this a moment ago. Your changes are marked below; save again to keep them.':
    'Das wurde gerade von jemand anderem geändert. Ihre Änderungen sind unten markiert; speichern Sie noch einmal, um sie zu behalten.',
  'Nothing was done: this was changed after the page was opened, perhaps by pressing the button twice. Press again only if it has to change once more.':
    'Nichts wurde getan: Das wurde geändert, nachdem die Seite geöffnet wurde, vielleicht durch zweimaliges Drücken. Drücken Sie nur noch einmal, wenn es ein weiteres Mal geändert werden soll.',
  'Nothing was made: this form was sent before, perhaps by pressing the button twice. Press again only if one more is wanted.':
    'Nichts wurde angelegt: Dieses Formular wurde schon gesendet, vielleicht durch zweimaliges Drücken. Drücken Sie nur noch einmal, wenn ein weiteres Mal angelegt werden soll.',
  'A secret from before the current one signs no event any more.':
    'Ein Geheimnis von vor dem jetzigen signiert keine Ereignisse mehr.',
  'You are not logged in': 'Sie sind nicht angemeldet',
  'Your session has ended, or you are no operator any more.':
    'Ihre Sitzung ist zu Ende, oder Sie sind kein Operator mehr.',
  'Log in': 'Anmelden',
  'This page is asked for in another way': 'Diese Seite wird auf andere Weise aufgerufen',
  'The request cannot be read': 'Die Anfrage ist nicht lesbar',
  'Something went wrong': 'Etwas ist schiefgegangen',
  'Try again in a moment. The log of the service says more.':
    'Versuchen Sie es gleich noch einmal. Mehr steht im Log des Dienstes.',
  'It may have been done. Look before you try again. The log of the service says more.':
    'Vielleicht wurde es ausgeführt. Sehen Sie nach, bevor Sie es noch einmal versuchen. Mehr steht im Log des Dienstes.',
  'It was not done': 'Es wurde nicht ausgeführt',
  'The roles that may do this: {roles}. Yours is “{own}”.':
    'Die Rollen, die das dürfen: {roles}. Ihre ist „{own}“.',
  '{before}, {next}': '{before}, {next}',
  'You may not do this': 'Das dürfen Sie nicht',
  'Back to the overview': 'Zurück zur Übersicht',
  'The new secret was shown once, and is not shown again. Loading the page has made nothing new.':
    'Das neue Geheimnis wurde einmal angezeigt und wird nicht wieder angezeigt. Durch das Laden der Seite ist nichts Neues entstanden.',
  'There is no such page': 'Diese Seite gibt es nicht',
  'It may have been removed, or you may not see it.':
    'Vielleicht wurde sie entfernt, oder Sie dürfen sie nicht sehen.',
  'The form is out of date': 'Das Formular ist veraltet',
  'It was not sent from a page of this session. Open the page again and repeat it.':
    'Es wurde nicht von einer Seite dieser Sitzung geschickt. Öffnen Sie die Seite neu und wiederholen Sie es.',
  'Go on with your form': 'Mit Ihrem Formular fortfahren',
  'The form is kept no longer': 'Das Formular wird nicht mehr aufbewahrt',
  'It was used, or is older than ten minutes. Open its page again and repeat it.':
    'Es wurde schon verwendet oder ist älter als zehn Minuten. Öffnen Sie seine Seite neu und wiederholen Sie es.',
  'Choose a password of at least 8 characters.':
    'Wählen Sie ein Passwort mit mindestens 8 Zeichen.',
  'Choose a shorter password: at most 72 bytes.':
    'Wählen Sie ein kürzeres Passwort: höchstens 72 Bytes.',
  'This password is on lists of passwords that attackers try first. Choose another one.':
    'Dieses Passwort steht auf Listen von Passwörtern, die Angreifer zuerst versuchen. Wählen Sie ein anderes.',
  'Choose a password other than the address.': 'Wählen Sie ein anderes Passwort als die Adresse.',
  'Choose a password other than a name.': 'Wählen Sie ein anderes Passwort als einen Namen.',
  'The password has a character that cannot be stored.':
    'Das Passwort enthält ein Zeichen, das sich nicht speichern lässt.',
  'Your invitation': 'Ihre Einladung',
  'The invitation is no longer good': 'Die Einladung gilt nicht mehr',
  'It was used, withdrawn or replaced by a later one. If you have a later message, use the link in that, or ask an owner for a new one.':
    'Sie wurde schon verwendet, zurückgezogen oder durch eine spätere ersetzt. Wenn Sie eine spätere Nachricht haben, nehmen Sie deren Link, oder bitten Sie einen Inhaber um eine neue.',
  'It is older than 24 hours. Ask an owner for a new one.':
    'Sie ist älter als 24 Stunden. Bitten Sie einen Inhaber um eine neue.',
  Disable: 'Sperren',
  'They cannot log in until they are enabled again, and every session of theirs ends.':
    'Sie können sich nicht anmelden, bis sie wieder aktiviert werden, und alle ihre Sitzungen enden.',
  'They can log in again.': 'Sie können sich wieder anmelden.',
  'End sessions': 'Sitzungen beenden',
  'Every session of theirs ends, and they log in again.':
    'Alle ihre Sitzungen enden, und sie melden sich neu an.',
  'Send a link for a new password': 'Link für ein neues Passwort schicken',
  'Each of them gets a message with a link that is good for an hour.':
    'Alle bekommen eine Nachricht mit einem Link, der eine Stunde gilt.',
  'Send a link that verifies the address': 'Link zur Bestätigung der Adresse schicken',
  'Each of them gets a message with a link that is good for a day.':
    'Alle bekommen eine Nachricht mit einem Link, der einen Tag gilt.',
  'Send an invitation': 'Einladung schicken',
  'Each of them gets a message with a link that is good for seven days.':
    'Alle bekommen eine Nachricht mit einem Link, der sieben Tage gilt.',
  '# Press “Show the secret” above, and it stands here.':
    '# Klicken Sie oben auf „Geheimnis anzeigen“, dann steht es hier.',
  '# Made for you just now; it is stored nowhere else.':
    '# Eben für Sie erzeugt; es ist sonst nirgends gespeichert.',
  'Verification of the address': 'Bestätigung der Adresse',
  'Link for a new password': 'Link für ein neues Passwort',
  Invitation: 'Einladung',
  'Notice of an account that exists': 'Hinweis auf ein bestehendes Konto',
  'Notice of a new password': 'Hinweis auf ein neues Passwort',
  'Code for the second step': 'Code für den zweiten Schritt',
  'Code to log in': 'Code zur Anmeldung',
  'Notice of changed ways to log in': 'Hinweis auf geänderte Anmeldemethoden',
  'Notice of guesses': 'Hinweis auf Rateversuche',
  'Code for a new address': 'Code für eine neue Adresse',
  'Notice of a new address': 'Hinweis auf eine neue Adresse',
  'Notice of an account that was taken back': 'Hinweis auf ein zurückgeholtes Konto',
  'Notice of an address that waits for a second operator':
    'Hinweis auf eine Adresse, die auf die Bestätigung durch eine zweite Person wartet',
  'Notice of a locked account': 'Hinweis auf ein gesperrtes Konto',
  'Notice of the deletion': 'Hinweis auf die Löschung',
  'Notice of a connected account': 'Hinweis auf ein verbundenes Konto',
  'Notice of a login on a new device': 'Hinweis auf eine Anmeldung auf einem neuen Gerät',
  'Question whether an operator may log in as the user':
    'Frage, ob sich ein Operator als der Benutzer anmelden darf',
  'Notice of a login of an operator as the user':
    'Hinweis auf die Anmeldung eines Operators als der Benutzer',
  'Notice of another role': 'Hinweis auf eine andere Rolle',
  'Notice of an endpoint that is gone': 'Hinweis auf einen Endpunkt, den es nicht mehr gibt',
  'Notice of an endpoint that fails': 'Hinweis auf einen Endpunkt, der nicht antwortet',
  'none: it can’t be reached ({code})': 'keine: nicht erreichbar ({code})',
  'given up': 'aufgegeben',
  'Saved.': 'Gespeichert.',
  'Saved. The operator is told by mail.': 'Gespeichert. Der Operator erfährt es per E-Mail.',
  'Nothing changed.': 'Nichts wurde geändert.',
  'Created.': 'Angelegt.',
  'Removed.': 'Entfernt.',
  'Disabled. Every session of this user has ended.':
    'Gesperrt. Alle Sitzungen dieses Benutzers sind beendet.',
  'Enabled.': 'Aktiviert.',
  'The address is verified.': 'Die Adresse ist bestätigt.',
  'Created, and an invitation is on its way.': 'Angelegt, und eine Einladung ist unterwegs.',
  'The user is created, but no invitation was sent. Send it from this page, which says why if it cannot.':
    'Die Person ist angelegt, aber es ging keine Einladung hinaus. Senden Sie sie von dieser Seite aus, die den Grund nennt, wenn es nicht geht.',
  'Another person chose differently and checked the file again. Nothing was imported: these are the new numbers.':
    'Jemand anderes hat anders gewählt und die Datei noch einmal geprüft. Nichts wurde importiert: Das sind die neuen Zahlen.',
  'The message is on its way. Its state is below.':
    'Die Nachricht ist unterwegs. Ihr Zustand steht unten.',
  'The session has ended, and so have its tokens.': 'Die Sitzung ist beendet, ihre Tokens ebenso.',
  'The access is withdrawn. Access tokens for APIs expire within five minutes.':
    'Der Zugriff ist entzogen. Zugriffstokens für APIs laufen innerhalb von fünf Minuten ab.',
  'The device is forgotten. It asks for the second step again.':
    'Das Gerät ist vergessen. Es fragt wieder nach dem zweiten Schritt.',
  'The failed attempts are forgotten. The user can try again.':
    'Die Fehlversuche sind vergessen. Der Benutzer kann es wieder versuchen.',
  'The tenant is deleted: nothing reaches it any more. The page “System” shows how its rows are erased.':
    'Der Mandant ist gelöscht: Nichts erreicht ihn mehr. Die Seite „System“ zeigt, wie seine Zeilen endgültig gelöscht werden.',
  'The user is deleted.': 'Der Benutzer ist gelöscht.',
  'Every session of this user has ended.': 'Alle Sitzungen dieses Benutzers sind beendet.',
  'The key is withdrawn. It opens nothing any more.':
    'Der Schlüssel ist zurückgezogen. Er öffnet nichts mehr.',
  'The tenant signs with a new key. The earlier ones stay published.':
    'Der Mandant signiert mit einem neuen Schlüssel. Die früheren bleiben veröffentlicht.',
  'The tenant signs with a new key, and no earlier one is published.':
    'Der Mandant signiert mit einem neuen Schlüssel, und kein früherer ist veröffentlicht.',
  'Enabled. Users see the connection where the tenant allows social login.':
    'Aktiviert. Benutzer sehen die Verbindung, wenn der Mandant die Anmeldung bei Anbietern erlaubt.',
  'Disabled. No user can log in with it until it is enabled again.':
    'Gesperrt. Niemand kann sich damit anmelden, bis sie wieder aktiviert wird.',
  'On the way. The state of each event is below.':
    'Unterwegs. Der Zustand jedes Ereignisses steht unten.',
  'The application has a new secret. Show it to deploy it.':
    'Die Anwendung hat ein neues Geheimnis. Zeigen Sie es an, um es einzusetzen.',
  'You have logged in again. For five minutes you can do what is dangerous.':
    'Sie haben sich neu angemeldet. Fünf Minuten lang sind auch riskante Aktionen möglich.',
  'Nothing was done: enter {name}, as it is written here.':
    'Nichts wurde getan: Geben Sie {name} ein, genau wie es hier steht.',
  'Nothing was saved. Fix the lines that are marked below.':
    'Nichts wurde gespeichert. Korrigieren Sie die Zeilen, die unten markiert sind.',
  'Audit log': 'Protokoll',
  'Entry of the audit log': 'Eintrag im Protokoll',
  Connections: 'Verbindungen',
  'Any OpenID provider': 'Ein beliebiger OpenID-Anbieter',
  Issuer: 'Issuer',
  'Such as https://login.example.com, as the provider names it.':
    'Zum Beispiel https://login.example.com, wie der Anbieter ihn nennt.',
  Directory: 'Verzeichnis',
  'The id of your Entra directory (tenant), a GUID.':
    'Die ID Ihres Entra-Verzeichnisses (Tenant), eine GUID.',
  'Team id': 'Team-ID',
  'Of your Apple developer account.': 'Von Ihrem Apple-Entwicklerkonto.',
  'Of the private key that Apple has given you.':
    'Vom privaten Schlüssel, den Sie von Apple bekommen haben.',
  'Add {provider}': 'Hinzufügen: {provider}',
  '1 user has connected an account': '1 Benutzer hat ein Konto verbunden',
  '{count} users have connected an account': '{count} Benutzer haben ein Konto verbunden',
  'Nothing was saved: {issuer} does not answer as a provider. {reason}':
    'Nichts wurde gespeichert: {issuer} antwortet nicht wie ein Anbieter. {reason}',
  'First name': 'Vorname',
  'Last name': 'Nachname',
  'Change the texts of a tenant': 'Texte eines Mandanten ändern',
  'Edit a user': 'Einen Benutzer bearbeiten',
  'This changes': 'Das ändert sich',
  'Metadata {key}': 'Metadaten {key}',
  '{act}: {users}': '{act}: {users}',
  'Nothing was chosen': 'Nichts ausgewählt',
  Jobs: 'Aufträge',
  Job: 'Auftrag',
  'Download the refused rows': 'Abgelehnte Zeilen herunterladen',
  'Download the conflicts of an update': 'Konflikte einer Aktualisierung herunterladen',
  'Several users have this name. The entries are about {address}; for another one, enter the address or the id.':
    'Mehrere Benutzer haben diesen Namen. Die Einträge sind die von {address}; für einen anderen geben Sie die Adresse oder die ID ein.',
  'more than {count} users': 'mehr als {count} Benutzer',
  'one user': 'ein Benutzer',
  '{count} users': '{count} Benutzer',
  Operators: 'Operatoren',
  'the console': 'die Konsole',
  Overview: 'Übersicht',
  'No session is open, so none ends.': 'Keine Sitzung ist offen, also endet keine.',
  'Ends one session at once, with its tokens.': 'Beendet sofort eine Sitzung mit ihren Tokens.',
  'Ends {count} sessions at once, with their tokens.':
    'Beendet sofort {count} Sitzungen mit ihren Tokens.',
  'Withdraw an API key': 'Einen API-Schlüssel zurückziehen',
  'Withdraw the key': 'Schlüssel zurückziehen',
  'Disable an operator': 'Einen Operator sperren',
  'Disable the operator': 'Operator sperren',
  'Remove an operator': 'Einen Operator entfernen',
  'Remove the operator': 'Operator entfernen',
  'Enter the address of the operator to confirm':
    'Geben Sie zur Bestätigung die Adresse des Operators ein',
  'The password, passkeys and other ways to log in go with the operator. Entries of the audit log stay.':
    'Mit dem Operator verschwinden Passwort, Passkeys und andere Anmeldemethoden. Einträge im Protokoll bleiben.',
  'one tenant': 'ein Mandant',
  '{count} tenants': '{count} Mandanten',
  'Programs that use it get the answer 401 at once.':
    'Programme, die ihn benutzen, bekommen sofort die Antwort 401.',
  'It can read in {where}.': 'Er kann lesen. Reichweite: {where}.',
  'It can read and write in {where}.': 'Er kann lesen und schreiben. Reichweite: {where}.',
  'It was never used.': 'Er wurde nie benutzt.',
  'It was used last at {time} UTC.': 'Zuletzt wurde er am {time} UTC benutzt.',
  'A withdrawn key stays withdrawn; make another one in its place.':
    'Ein zurückgezogener Schlüssel bleibt zurückgezogen; erzeugen Sie stattdessen einen neuen.',
  'The operator is an owner; one owner can log in after that.':
    'Der Operator ist Inhaber; danach kann sich noch ein Inhaber anmelden.',
  'The operator is an owner; {count} owners can log in after that.':
    'Der Operator ist Inhaber; danach können sich noch {count} Inhaber anmelden.',
  'Switch an endpoint off': 'Einen Endpunkt ausschalten',
  'Switch it off': 'Ausschalten',
  'It gets no events. Those that wait are sent when it is switched on again, for 30 days.':
    'Er bekommt keine Ereignisse. Wartende werden gesendet, wenn er wieder eingeschaltet wird, 30 Tage lang.',
  'Make a new secret for an endpoint': 'Neues Geheimnis für einen Endpunkt erzeugen',
  'Make a new secret': 'Neues Geheimnis erzeugen',
  'The new secret is shown once, on the next page.':
    'Das neue Geheimnis wird einmal angezeigt, auf der nächsten Seite.',
  'For 24 hours events are signed with both secrets; after that, with the new one alone.':
    '24 Stunden lang werden Ereignisse mit beiden Geheimnissen signiert, danach nur mit dem neuen.',
  'Delete an endpoint': 'Einen Endpunkt löschen',
  'Delete the endpoint': 'Endpunkt löschen',
  'It gets no events any more, and events that wait for it are dropped.':
    'Er bekommt keine Ereignisse mehr, und wartende werden verworfen.',
  'Its secret and the list of its events go with it.':
    'Sein Geheimnis und die Liste seiner Ereignisse verschwinden mit ihm.',
  'Delete the tenant': 'Mandanten löschen',
  '{users}, {applications}, connections and signing keys go with it.':
    '{users}, {applications}, Verbindungen und Signaturschlüssel verschwinden mit ihm.',
  'One user': 'Ein Benutzer',
  'one application': 'eine Anwendung',
  '{count} applications': '{count} Anwendungen',
  'All logins end as soon as you confirm; the rows are erased in the background.':
    'Alle Anmeldungen enden, sobald Sie bestätigen; die Zeilen werden im Hintergrund endgültig gelöscht.',
  'A new tenant can have the domain at once, an existing one after 30 days. Entries of the audit log stay.':
    'Ein neuer Mandant kann die Domain sofort bekommen, ein bestehender nach 30 Tagen. Einträge im Protokoll bleiben.',
  'Enter the domain of the tenant to confirm':
    'Geben Sie zur Bestätigung die Domain des Mandanten ein',
  'Disable a user': 'Einen Benutzer sperren',
  'Disable the user': 'Benutzer sperren',
  'The user cannot log in until an operator enables the account again. Nothing is deleted.':
    'Der Benutzer kann sich nicht anmelden, bis ein Operator das Konto wieder aktiviert. Nichts wird gelöscht.',
  'Remove a way to log in': 'Eine Anmeldemethode entfernen',
  'Remove it': 'Entfernen',
  'Delete a user': 'Einen Benutzer löschen',
  'Delete the user': 'Benutzer löschen',
  'The profile, the metadata and one way to log in go with the user. Entries of the audit log stay.':
    'Mit dem Benutzer verschwinden Profil, Metadaten und eine Anmeldemethode. Einträge im Protokoll bleiben.',
  'The profile, the metadata and {count} ways to log in go with the user. Entries of the audit log stay.':
    'Mit dem Benutzer verschwinden Profil, Metadaten und {count} Anmeldemethoden. Einträge im Protokoll bleiben.',
  'Enter the address of the user to confirm':
    'Geben Sie zur Bestätigung die Adresse des Benutzers ein',
  'Rotate the client secret': 'Client-Geheimnis erneuern',
  'The application has to be deployed with the new secret while the earlier one is still accepted. Then its logins fail with the earlier one.':
    'Die Anwendung muss das neue Geheimnis bekommen, solange das frühere noch gilt. Danach schlagen ihre Anmeldungen mit dem früheren fehl.',
  'Users who are logged in notice nothing. A secret from before the current one stops at once.':
    'Angemeldete Benutzer merken nichts. Ein Geheimnis von vor dem jetzigen gilt sofort nicht mehr.',
  'Accept the earlier secret for how many hours':
    'Wie viele Stunden das frühere Geheimnis noch gilt',
  'Both secrets work until then. Enter 0 if the earlier one may have leaked.':
    'Bis dahin gelten beide. Geben Sie 0 ein, wenn das frühere bekannt geworden sein könnte.',
  'Delete an application': 'Eine Anwendung löschen',
  'Delete the application': 'Anwendung löschen',
  'Logins end at once at one redirect URL, and the tokens of the application cannot be renewed.':
    'Anmeldungen enden sofort an einer Weiterleitungs-URL, und die Tokens der Anwendung lassen sich nicht erneuern.',
  'Logins end at once at {count} redirect URLs, and the tokens of the application cannot be renewed.':
    'Anmeldungen enden sofort an {count} Weiterleitungs-URLs, und die Tokens der Anwendung lassen sich nicht erneuern.',
  'The users of the tenant stay.': 'Die Benutzer des Mandanten bleiben.',
  'Enter the name of the application to confirm':
    'Geben Sie zur Bestätigung den Namen der Anwendung ein',
  'Disable a connection': 'Eine Verbindung sperren',
  'Disable the connection': 'Verbindung sperren',
  'They get in again when it is enabled. Sessions go on.':
    'Sie kommen wieder hinein, wenn sie aktiviert wird. Sitzungen laufen weiter.',
  'Remove a connection': 'Eine Verbindung entfernen',
  'Remove the connection': 'Verbindung entfernen',
  'Enter the name of the connection to confirm':
    'Geben Sie zur Bestätigung den Namen der Verbindung ein',
  'They keep their accounts here. Their accounts at the provider are connected no longer.':
    'Sie behalten ihre Konten hier. Ihre Konten beim Anbieter sind nicht mehr verbunden.',
  'Rotate the signing key': 'Signaturschlüssel wechseln',
  'Make a new key': 'Neuen Schlüssel erzeugen',
  'A new key signs from now on. One earlier key stays published, and goes at a rotation {days} days after the last signature.':
    'Ab jetzt signiert ein neuer Schlüssel. Ein früherer bleibt veröffentlicht und verschwindet bei einem Wechsel {days} Tage nach der letzten Signatur.',
  'A new key signs from now on. {count} earlier keys stay published, and go at a rotation {days} days after the last signature.':
    'Ab jetzt signiert ein neuer Schlüssel. {count} frühere bleiben veröffentlicht und verschwinden bei einem Wechsel {days} Tage nach der letzten Signatur.',
  'No session and no token ends. Applications read the new key when they see it first.':
    'Keine Sitzung und kein Token endet. Anwendungen lesen den neuen Schlüssel, wenn sie ihn zum ersten Mal sehen.',
  'Withdraw the earlier signing keys': 'Frühere Signaturschlüssel zurückziehen',
  'Withdraw the earlier keys': 'Frühere Schlüssel zurückziehen',
  'A new key signs from now on, and one earlier key is published no longer.':
    'Ab jetzt signiert ein neuer Schlüssel, und ein früherer ist nicht mehr veröffentlicht.',
  'A new key signs from now on, and {count} earlier keys are published no longer.':
    'Ab jetzt signiert ein neuer Schlüssel, und {count} frühere sind nicht mehr veröffentlicht.',
  'Sessions and refresh tokens go on. Tokens that an earlier key has signed are refused, also by applications once they read the keys again.':
    'Sitzungen und Refresh-Tokens laufen weiter. Tokens, die ein früherer Schlüssel signiert hat, werden abgelehnt, auch von Anwendungen, sobald sie die Schlüssel neu lesen.',
  '{way} of {user}': '{way} von {user}',
  'No second step is left: the first one alone gets in.':
    'Danach ist kein zweiter Schritt mehr übrig: Der erste allein genügt.',
  'They can set a password by a mailed link.':
    'Sie können über einen zugeschickten Link ein Passwort setzen.',
  'They cannot log in any more.': 'Sie können sich nicht mehr anmelden.',
  'One user has no other way to log in.': 'Ein Benutzer hat keine andere Anmeldemethode.',
  '{count} users have no other way to log in.':
    '{count} Benutzer haben keine andere Anmeldemethode.',
  'One user can’t log in with it any more.': 'Ein Benutzer kann sich nicht mehr damit anmelden.',
  '{count} users can’t log in with it any more.':
    '{count} Benutzer können sich nicht mehr damit anmelden.',
  'Signing keys': 'Signaturschlüssel',
  'Notices to applications that a session ended':
    'Mitteilungen an Anwendungen, dass eine Sitzung zu Ende ist',
  '{count} or more': '{count} oder mehr',
  'Middle name': 'Zweiter Vorname',
  Nickname: 'Spitzname',
  'Preferred username': 'Bevorzugter Benutzername',
  Profile: 'Profil',
  Picture: 'Bild',
  Website: 'Website',
  Gender: 'Geschlecht',
  Birthdate: 'Geburtsdatum',
  Zoneinfo: 'Zeitzone',
  Locale: 'Gebietsschema',
  'Phone number': 'Telefonnummer',
  'Enable the user': 'Benutzer aktivieren',
  'Send the verification again': 'Bestätigung noch einmal schicken',
  'Let the user try again now': 'Den Benutzer es sofort wieder versuchen lassen',
  'Invitation, good for 7 days': 'Einladung, 7 Tage gültig',
  'Link for a new password, good for an hour': 'Link für ein neues Passwort, eine Stunde gültig',
  'Link that verifies the address, good for a day':
    'Link zur Bestätigung der Adresse, einen Tag gültig',
  'Create a user': 'Einen Benutzer anlegen',
  'switched off': 'ausgeschaltet',
  'switched off: a backup was restored': 'ausgeschaltet: eine Sicherung wurde eingespielt',
  'switched off: it answered 410': 'ausgeschaltet: Antwort 410',
  'switched off: it accepted nothing for five days':
    'ausgeschaltet: fünf Tage lang nichts angenommen',
  'no answer within 15 seconds': 'keine Antwort in 15 Sekunden',
  Webhooks: 'Webhooks',
  'Add an endpoint': 'Einen Endpunkt hinzufügen',
  Accepted: 'Angenommen',
  'Not accepted': 'Nicht angenommen',
  'Give the date and the time from which events are sent once more.':
    'Geben Sie Datum und Uhrzeit an, ab denen Ereignisse noch einmal gesendet werden.',
  'Names and look': 'Namen und Aussehen',
  Color: 'Farbe',
  'Of buttons and links, such as #7a1f5c. Empty for ours.':
    'Für Schaltflächen und Links, zum Beispiel #7a1f5c. Leer für unsere.',
  Image: 'Bild',
  'Stands above the login pages in place of the text: its https:// URL. Its contrast with light and dark pages is not measured.':
    'Steht anstelle des Textes über den Anmeldeseiten: seine https://-URL. Sein Kontrast zu hellen und dunklen Seiten wird nicht gemessen.',
  'The logo is at {address} and is shown to users. A preview asks no other host, so a placeholder stands in its place.':
    'Das Logo liegt unter {address} und wird Benutzern gezeigt. Eine Vorschau fragt keinen anderen Host, deshalb steht an seiner Stelle ein Platzhalter.',
  'The login page then': 'Die Anmeldeseite danach',
  'The login page in light colors': 'Die Anmeldeseite in hellen Farben',
  'The login page in dark colors': 'Die Anmeldeseite in dunklen Farben',
  'On light pages, {color} is {instead}, so that it can be read.':
    'Auf hellen Seiten wird {color} zu {instead}, damit sie lesbar ist.',
  'On dark pages, {color} is {instead}, so that it can be read.':
    'Auf dunklen Seiten wird {color} zu {instead}, damit sie lesbar ist.',
  'For operators, to tell tenants apart.': 'Für Operatoren, um Mandanten zu unterscheiden.',
  'Log in as a user': 'Als Benutzer anmelden',
  'Owners and admins of the console can log in as a user to help, for 15 minutes. The user is told by mail, and sees it on the account page. Only an owner can change this.':
    'Inhaber und Admins der Konsole können sich zur Hilfe 15 Minuten lang als Benutzer anmelden. Der Benutzer erfährt es per E-Mail und sieht es auf der Kontoseite. Nur ein Inhaber kann das ändern.',
  'Not at all': 'Gar nicht',
  'When the user has agreed': 'Wenn der Benutzer zugestimmt hat',
  'Without asking the user': 'Ohne den Benutzer zu fragen',
  'Log in as this user…': 'Als dieser Benutzer anmelden…',
  'waits for the user': 'wartet auf den Benutzer',
  'can begin': 'kann beginnen',
  'logged in now': 'jetzt angemeldet',
  ended: 'beendet',
  'declined by the user': 'vom Benutzer abgelehnt',
  'The user is asked by mail, and answers on the account page. You can begin for an hour after that.':
    'Der Benutzer wird per E-Mail gefragt und antwortet auf der Kontoseite. Danach können Sie eine Stunde lang beginnen.',
  'The login as this user has ended.': 'Die Anmeldung als dieser Benutzer ist beendet.',
  'This tenant does not allow it. An owner can change that in the settings, under “Support”.':
    'Dieser Mandant erlaubt es nicht. Ein Inhaber kann das in den Einstellungen unter „Support“ ändern.',
  'The user is asked by mail and has to agree on the account page. You can begin for an hour after that.':
    'Der Benutzer wird per E-Mail gefragt und muss auf der Kontoseite zustimmen. Danach können Sie eine Stunde lang beginnen.',
  'You can begin at once. The user is told by mail.':
    'Sie können sofort beginnen. Der Benutzer erfährt es per E-Mail.',
  'It lasts 15 minutes at most. The user sees it on the account page and can end it.':
    'Es dauert höchstens 15 Minuten. Der Benutzer sieht es auf der Kontoseite und kann es beenden.',
  'Applications are told that it is you, by the claim “act”. Acts that need a login of the user are refused.':
    'Anwendungen erfahren durch den Claim „act“, dass Sie es sind. Was eine Anmeldung des Benutzers braucht, wird abgelehnt.',
  'Your name, the reason, the beginning and the end are in the audit log.':
    'Ihr Name, der Grund, der Beginn und das Ende stehen im Protokoll.',
  '10 to 300 characters, such as the number of the ticket. The user reads it.':
    '10 bis 300 Zeichen, etwa die Nummer der Anfrage. Der Benutzer liest es.',
  'Operator and reason': 'Operator und Grund',
  'Go on': 'Weiter',
  Back: 'Zurück',
  'Ask the user': 'Den Benutzer fragen',
  'Logins of operators as this user': 'Anmeldungen von Operatoren als dieser Benutzer',
  'Asked {time}': 'Gefragt {time}',
  'Logged in {time}': 'Angemeldet {time}',
  'Ended {time}': 'Beendet {time}',
  Ended: 'Beendet',
  'Begin…': 'Beginnen…',
  'You go on at {host}, in a new tab, and confirm there that you log in as {email}. The button works once, for two minutes.':
    'Weiter geht es bei {host} in einem neuen Tab. Dort bestätigen Sie, dass Sie sich als {email} anmelden. Die Schaltfläche wirkt einmal, zwei Minuten lang.',
  '{who} asked to log in as {on}: {changes}.':
    '{who} hat darum gebeten, sich als {on} anmelden zu dürfen: {changes}.',
  '{who} agreed that an operator logs in as {on}: {changes}.':
    '{who} hat zugestimmt, dass sich ein Operator als {on} anmeldet: {changes}.',
  '{who} declined that an operator logs in as {on}: {changes}.':
    '{who} hat abgelehnt, dass sich ein Operator als {on} anmeldet: {changes}.',
  '{who} logged in as {on}: {changes}.': '{who} hat sich als {on} angemeldet: {changes}.',
  '{who} opened an application as {on}: {changes}.':
    '{who} hat als {on} eine Anwendung geöffnet: {changes}.',
  'A login of an operator as {on} ended, by {who}: {changes}.':
    'Eine Anmeldung eines Operators als {on} wurde beendet, durch {who}: {changes}.',
  'How long a login lasts': 'Wie lange eine Anmeldung gilt',
  Development: 'Entwicklung',
  '{value} seconds ({length})': '{value} Sekunden ({length})',
  '1 day': '1 Tag',
  '{count} days': '{count} Tage',
  '1 hour': '1 Stunde',
  '{count} hours': '{count} Stunden',
  '1 minute': '1 Minute',
  '{count} minutes': '{count} Minuten',
  '1 second': '1 Sekunde',
  '{count} seconds': '{count} Sekunden',
  'sessions ended': 'Sitzungen beendet',
  '{who} began to download the users of {on}: {changes}.':
    '{who} hat begonnen, Benutzer herunterzuladen, für {on}: {changes}.',
  '{who} downloaded the users of {on}: {changes}.':
    '{who} hat Benutzer heruntergeladen, für {on}: {changes}.',
  '{who} began to download the audit log of {on}: {changes}.':
    '{who} hat begonnen, das Protokoll herunterzuladen, für {on}: {changes}.',
  '{who} downloaded the audit log of {on}: {changes}.':
    '{who} hat das Protokoll heruntergeladen, für {on}: {changes}.',
  '{name} “{value}”': '{name} „{value}“',
  Format: 'Format',
  Rows: 'Zeilen',
  'another address of {user}': 'eine andere Adresse von {user}',
  '{name} from “{before}” to “{after}”': '{name} von „{before}“ auf „{after}“',
  '{name} to “{after}”': '{name} auf „{after}“',
  '{name} “{before}” removed': '{name} „{before}“ entfernt',
  'Deletion of the account by its user': 'Löschung des Kontos durch den Benutzer',
  'Mail about a login on a new device': 'E-Mail über eine Anmeldung auf einem neuen Gerät',
  '{name} on': '{name} an',
  '{name} off': '{name} aus',
  'letters of several scripts': 'Buchstaben aus mehreren Schriften',
  'hidden characters': 'versteckte Zeichen',
  viewer: 'Leser',
  support: 'Support',
  admin: 'Admin',
  owner: 'Inhaber',
  success: 'erfolgreich',
  failure: 'fehlgeschlagen',
  refused: 'abgelehnt',
  running: 'läuft',
  done: 'fertig',
  stopped: 'angehalten',
  waiting: 'wartet',
  sent: 'gesendet',
  captured: 'abgefangen',
  waits: 'wartet',
  delivered: 'zugestellt',
  unreachable: 'nicht erreichbar',
  '{count}': '{count}',
  '{who} created the user {on}.': '{who} hat den Benutzer {on} angelegt.',
  '{who} changed the user {on}: {changes}.': '{who} hat den Benutzer {on} geändert: {changes}.',
  '{who} deleted the user {on}.': '{who} hat den Benutzer {on} gelöscht.',
  '{who} verified the address of {on}.': '{who} hat die Adresse von {on} bestätigt.',
  '{who} contested that the account {on} was taken back, which locks it until an operator decides.':
    '{who} hat der Rückholung des Kontos {on} widersprochen. Es ist gesperrt, bis ein Operator entscheidet.',
  '{who} took the account {on} back by a mailed link.':
    '{who} hat das Konto {on} mit einem Link aus einer E-Mail zurückgeholt.',
  '{who} imported users: {on}.': '{who} hat Benutzer importiert: {on}.',
  '{who} gave {on} a way to log in: {way}.': '{who} hat {on} eine Anmeldemethode gegeben: {way}.',
  '{who} changed a way to log in of {on}: {way}.':
    '{who} hat eine Anmeldemethode von {on} geändert: {way}.',
  '{who} removed a way to log in of {on}: {way}.':
    '{who} hat eine Anmeldemethode von {on} entfernt: {way}.',
  '{who} set the password of {on} by a link.':
    '{who} hat das Passwort von {on} mit einem Link gesetzt.',
  'The stored password of {on} was hashed again.':
    'Das gespeicherte Passwort von {on} wurde neu gehasht.',
  '{on} used a way to log in: {way}.': '{on} hat eine Anmeldemethode benutzt: {way}.',
  '{who} encrypted a secret of {on} under the newest master key: {way}.':
    '{who} hat ein Geheimnis von {on} unter dem neuesten Hauptschlüssel verschlüsselt: {way}.',
  '{on} logged in.': '{on} hat sich angemeldet.',
  'A code to log in as {on} was sent.': 'Ein Code zur Anmeldung als {on} wurde verschickt.',
  'A login as {on} was refused: the password was wrong.':
    'Eine Anmeldung als {on} wurde abgelehnt: Das Passwort war falsch.',
  'A login as {on} was refused: there is no password.':
    'Eine Anmeldung als {on} wurde abgelehnt: Es gibt kein Passwort.',
  'A login was refused: no user has the address.':
    'Eine Anmeldung wurde abgelehnt: Kein Benutzer hat die Adresse.',
  'A login as {on} was refused: the user is disabled.':
    'Eine Anmeldung als {on} wurde abgelehnt: Der Benutzer ist gesperrt.',
  'A login as {on} was refused: the way to log in is disabled.':
    'Eine Anmeldung als {on} wurde abgelehnt: Die Anmeldemethode ist gesperrt.',
  'A login as {on} was refused: the code was wrong.':
    'Eine Anmeldung als {on} wurde abgelehnt: Der Code war falsch.',
  'A session of {on} ended, by {who}.': 'Eine Sitzung von {on} wurde beendet, durch {who}.',
  'An application was told that a session ended: {on}.':
    'Einer Anwendung wurde mitgeteilt, dass eine Sitzung beendet ist: {on}.',
  'An application could not be told that a session ended: {on}.':
    'Einer Anwendung konnte nicht mitgeteilt werden, dass eine Sitzung beendet ist: {on}.',
  '{who} asked to sign up.': '{who} wollte sich registrieren.',
  '{who} asked for a link to a new password of {on}.':
    '{who} hat einen Link für ein neues Passwort von {on} verlangt.',
  '{who} sent a message to {on}.': '{who} hat {on} eine Nachricht geschickt.',
  'A message could not be delivered: {on}.': 'Eine Nachricht konnte nicht zugestellt werden: {on}.',
  '{on} allowed a program to act on their behalf.':
    '{on} hat einem Programm Zugriff auf das eigene Konto gegeben.',
  '{on} did not allow a program to act on their behalf.':
    '{on} hat einem Programm den Zugriff auf das eigene Konto verweigert.',
  '{who} withdrew the access of a program to the account of {on}.':
    '{who} hat einem Programm den Zugriff auf das Konto von {on} entzogen.',
  '{who} had a trusted device of {on} forgotten.':
    '{who} hat ein vertrautes Gerät von {on} vergessen lassen.',
  '{who} let {on} try again.': '{who} hat {on} neue Versuche erlaubt.',
  '{who} disabled users by a job: {on}.': '{who} hat Benutzer durch einen Auftrag gesperrt: {on}.',
  '{who} enabled users by a job: {on}.': '{who} hat Benutzer durch einen Auftrag aktiviert: {on}.',
  '{who} ended the sessions of users by a job: {on}.':
    '{who} hat die Sitzungen von Benutzern durch einen Auftrag beendet: {on}.',
  '{who} sent users a link for a new password by a job: {on}.':
    '{who} hat Benutzern durch einen Auftrag einen Link für ein neues Passwort geschickt: {on}.',
  '{who} sent users a link that verifies the address by a job: {on}.':
    '{who} hat Benutzern durch einen Auftrag einen Link geschickt, der die Adresse bestätigt: {on}.',
  '{who} sent users an invitation by a job: {on}.':
    '{who} hat Benutzern durch einen Auftrag eine Einladung geschickt: {on}.',
  '{who} imported users by a job: {on}.':
    '{who} hat Benutzer durch einen Auftrag importiert: {on}.',
  '{users}': '{users}',
  '{users} so far': 'bisher {users}',
  '{users}, then it was stopped': '{users}, dann angehalten',
  '{users}, {failed} refused': '{users}, {failed} abgelehnt',
  'Show jobs user by user': 'Aufträge Benutzer für Benutzer zeigen',
  'Show user by user': 'Benutzer für Benutzer zeigen',
  'What a job did, user by user.': 'Das hat ein Auftrag getan, Benutzer für Benutzer.',
  'To the whole log': 'Zum ganzen Protokoll',
  'Request or job': 'Anfrage oder Auftrag',
  '{who} began a job for many users: {on}.':
    '{who} hat einen Auftrag für viele Benutzer begonnen: {on}.',
  '{who} created the tenant {on}.': '{who} hat den Mandanten {on} angelegt.',
  '{who} changed the tenant {on}: {changes}.': '{who} hat den Mandanten {on} geändert: {changes}.',
  '{who} deleted the tenant {on}.': '{who} hat den Mandanten {on} gelöscht.',
  '{who} erased the rows of the deleted tenant {on}.':
    '{who} hat die Daten des gelöschten Mandanten {on} entfernt.',
  '{who} freed the domain {on}.': '{who} hat die Domain {on} freigegeben.',
  '{who} registered the application {on}.': '{who} hat die Anwendung {on} registriert.',
  '{who} changed the application {on}: {changes}.':
    '{who} hat die Anwendung {on} geändert: {changes}.',
  '{who} deleted the application {on}.': '{who} hat die Anwendung {on} gelöscht.',
  '{who} gave the application {on} a new secret.':
    '{who} hat der Anwendung {on} ein neues Geheimnis gegeben.',
  '{who} looked at the secret of the application {on}.':
    '{who} hat das Geheimnis der Anwendung {on} angesehen.',
  '{who} encrypted the secret of {on} under the newest master key.':
    '{who} hat das Geheimnis von {on} unter dem neuesten Hauptschlüssel verschlüsselt.',
  '{who} added the connection {on}.': '{who} hat die Verbindung {on} hinzugefügt.',
  '{who} changed the connection {on}: {changes}.':
    '{who} hat die Verbindung {on} geändert: {changes}.',
  '{who} deleted the connection {on}.': '{who} hat die Verbindung {on} gelöscht.',
  '{who} added the webhook {on}.': '{who} hat den Webhook {on} hinzugefügt.',
  '{who} changed the webhook {on}: {changes}.': '{who} hat den Webhook {on} geändert: {changes}.',
  '{who} deleted the webhook {on}.': '{who} hat den Webhook {on} gelöscht.',
  '{who} switched the webhook {on} off.': '{who} hat den Webhook {on} ausgeschaltet.',
  '{who} gave the webhook {on} a new secret.':
    '{who} hat dem Webhook {on} ein neues Geheimnis gegeben.',
  '{who} sent a test to the webhook {on}.': '{who} hat einen Test an den Webhook {on} geschickt.',
  '{who} made the API key {on}.': '{who} hat den API-Schlüssel {on} erzeugt.',
  '{who} noted that a backup was restored.':
    '{who} hat vermerkt, dass eine Sicherung eingespielt wurde.',
  '{who} confirmed the API key {on} after a restore.':
    '{who} hat den API-Schlüssel {on} nach dem Einspielen einer Sicherung bestätigt.',
  '{who} confirmed the operator {on} after a restore.':
    '{who} hat den Operator {on} nach dem Einspielen einer Sicherung bestätigt.',
  '{who} withdrew the API key {on}.': '{who} hat den API-Schlüssel {on} zurückgezogen.',
  '{who} made the signing key {on}.': '{who} hat den Signaturschlüssel {on} erzeugt.',
  '{who} withdrew the signing key {on}.': '{who} hat den Signaturschlüssel {on} zurückgezogen.',
  '{who} encrypted the signing key {on} under the newest master key.':
    '{who} hat den Signaturschlüssel {on} unter dem neuesten Hauptschlüssel verschlüsselt.',
  '{who} sealed a day of the audit log: {on}.':
    '{who} hat einen Tag des Protokolls versiegelt: {on}.',
  '{who} invited the operator {on}.': '{who} hat den Operator {on} eingeladen.',
  '{who} accepted the invitation for {on}.': '{who} hat die Einladung für {on} angenommen.',
  '{who} let the operator {on} begin again.': '{who} hat den Operator {on} neu beginnen lassen.',
  '{who} removed the operator {on}.': '{who} hat den Operator {on} entfernt.',
  '{who} changed the operator {on}: {changes}.': '{who} hat den Operator {on} geändert: {changes}.',
  '{who} disabled the user {on}.': '{who} hat den Benutzer {on} gesperrt.',
  '{who} enabled the user {on}.': '{who} hat den Benutzer {on} aktiviert.',
  '{who} ended all sessions of {on}.': '{who} hat alle Sitzungen von {on} beendet.',
  '{who} disabled the connection {on}.': '{who} hat die Verbindung {on} gesperrt.',
  '{who} enabled the connection {on}.': '{who} hat die Verbindung {on} aktiviert.',
  '{who} disabled the operator {on}.': '{who} hat den Operator {on} gesperrt.',
  '{who} enabled the operator {on}.': '{who} hat den Operator {on} aktiviert.',
  'A login was refused ({action}): {on}.': 'Eine Anmeldung wurde abgelehnt ({action}): {on}.',
  'Too many attempts were stopped ({action}): {on}.':
    'Zu viele Versuche wurden angehalten ({action}): {on}.',
  '{who} was refused ({action}): {on}.': '{who} wurde abgewiesen ({action}): {on}.',
  '{who} saved {on} without a change.': '{who} hat {on} ohne Änderung gespeichert.',
  '{who}: {action}, {on}.': '{who}: {action}, {on}.',
  'What happened': 'Was geschehen ist',
  'A visitor': 'Ein Besucher',
  'The service': 'Der Dienst',
  'The command line': 'Die Befehlszeile',
  'The API key {name}': 'Der API-Schlüssel {name}',
  'The account {name} on the command line': 'Das Konto {name} auf der Befehlszeile',
  'the operators of the console': 'die Operatoren der Konsole',
  '{name} ({address})': '{name} ({address})',
  'Import…': 'Importieren…',
  'Import users': 'Benutzer importieren',
  'Choose a file, or paste its lines.': 'Wählen Sie eine Datei, oder fügen Sie ihre Zeilen ein.',
  'Import users: the columns': 'Benutzer importieren: die Spalten',
  'Import users: the file is checked': 'Benutzer importieren: die Datei wird geprüft',
  'Import users: what would happen': 'Benutzer importieren: was geschehen würde',
  'Import users: under way': 'Benutzer importieren: läuft',
  'Import users: stopped': 'Benutzer importieren: beendet',
  'The uploaded file cannot be decrypted any more, because its master key was removed. Upload it again: users who are there already stay as they are.':
    'Die hochgeladene Datei lässt sich nicht mehr entschlüsseln, weil ihr Hauptschlüssel entfernt wurde. Laden Sie sie noch einmal hoch: Benutzer, die es schon gibt, bleiben, wie sie sind.',
  'The operator who began the import may not do this any more. It was stopped: imported users stay.':
    'Der Operator, der den Import begonnen hat, darf das nicht mehr. Deshalb hat der Dienst ihn angehalten: Importierte Benutzer bleiben.',
  'The upload is deleted.': 'Das Hochgeladene ist gelöscht.',
  'The import was stopped: imported users stay, and the other rows were left out.':
    'Der Import wurde angehalten: Importierte Benutzer bleiben, die übrigen Zeilen wurden ausgelassen.',
  'Stop an import': 'Import anhalten',
  'Stop the import': 'Import anhalten',
  'Stop the import…': 'Import anhalten…',
  'It stops after the rows under way, at most 100 of them.':
    'Er hält nach den Zeilen an, die gerade in Arbeit sind, höchstens 100.',
  'Users who are imported already stay.': 'Bereits importierte Benutzer bleiben.',
  'The upload is deleted. To go on later, upload the file again.':
    'Das Hochgeladene wird gelöscht. Um später weiterzumachen, laden Sie die Datei noch einmal hoch.',
  'Upload a file': 'Eine Datei hochladen',
  'Import users: done': 'Benutzer importieren: fertig',
  'The file is discarded.': 'Die Datei ist verworfen.',
  'waits for you': 'wartet auf Sie',
  Other: 'Anderes',
  'Id in the old table': 'ID in der alten Tabelle',
  'Address is verified': 'Adresse ist bestätigt',
  'Verified at': 'Bestätigt am',
  Enabled: 'Aktiviert',
  'Password in plain text': 'Passwort im Klartext',
  'Hash of the password': 'Hash des Passworts',
  'Algorithm of the hash': 'Algorithmus des Hashs',
  Encoding: 'Kodierung',
  'Lines, to paste': 'Zeilen zum Einfügen',
  'The first line has the names of the columns, such as email and name.':
    'Die erste Zeile enthält die Namen der Spalten, etwa email und name.',
  'Or a file': 'Oder eine Datei',
  'CSV, JSON or a line of JSON for each user; at most 50 MB and 500,000 users. It is kept encrypted until it is imported, for a day at most.':
    'CSV, JSON oder eine Zeile JSON je Benutzer; höchstens 50 MB und 500.000 Benutzer. Die Datei wird verschlüsselt aufbewahrt, bis sie importiert ist, höchstens einen Tag.',
  'Go on: look at the columns': 'Weiter: die Spalten ansehen',
  'Nothing is changed yet. You see every fault, and who would be created, before anything is.':
    'Noch wird nichts geändert. Sie sehen vorher jeden Fehler und wer angelegt würde.',
  'Earlier imports': 'Frühere Importe',
  '{file}, one row, uploaded {time}': '{file}, eine Zeile, hochgeladen {time}',
  'Pasted lines': 'Eingefügte Zeilen',
  '{file}, {rows} rows, uploaded {time}': '{file}, {rows} Zeilen, hochgeladen {time}',
  'The file is being checked: every row, and whether its address is there already.':
    'Die Datei wird geprüft: jede Zeile, und ob es ihre Adresse schon gibt.',
  'There already': 'Schon vorhanden',
  'The refused rows as CSV': 'Die abgelehnten Zeilen als CSV',
  'Would be created': 'Würden angelegt',
  'There already: they stay as they are': 'Schon vorhanden: Sie bleiben, wie sie sind',
  'Of these, changed': 'Davon geändert',
  'Of these, conflicts': 'Davon Konflikte',
  'Would be changed': 'Würden geändert',
  Unchanged: 'Unverändert',
  'Conflicts: they stay as they are': 'Konflikte: Sie bleiben, wie sie sind',
  'Members that would be changed:': 'Angaben, die geändert würden:',
  'Users who may no longer log in:': 'Benutzer, die sich nicht mehr anmelden dürfen:',
  'No column says who may log in, so users stay disabled or enabled.':
    'Keine Spalte sagt, wer sich anmelden darf; Benutzer bleiben also gesperrt oder aktiviert.',
  'No column says who may log in: all users are imported enabled. If the old system has blocked users, its export must say who they are.':
    'Keine Spalte sagt, wer sich anmelden darf: Alle Benutzer werden aktiviert importiert. Wenn im alten System Benutzer gesperrt sind, muss der Export sie nennen.',
  'To update them from a newer export, choose so below and check the file again.':
    'Um sie aus einem neueren Export zu aktualisieren, wählen Sie das unten, und prüfen Sie die Datei noch einmal.',
  'Stays as it is here': 'Bleibt hier, wie es ist',
  Member: 'Angabe',
  'Users whose address is there already': 'Benutzer, deren Adresse schon vorhanden ist',
  'They stay as they are': 'Sie bleiben, wie sie sind',
  'Update them': 'Aktualisieren',
  'An update keeps what was changed here since an import, and each password that its user has logged in with.':
    'Eine Aktualisierung behält, was hier seit einem Import geändert wurde, und jedes Passwort, mit dem sich sein Benutzer angemeldet hat.',
  'An update keeps what was changed here since an import, and all passwords: one operator alone sets none.':
    'Eine Aktualisierung behält, was hier seit einem Import geändert wurde, und alle Passwörter, da ein Operator allein keines setzen kann.',
  'Hashes of Firebase': 'Hashes von Firebase',
  'Hash parameters of Firebase': 'Hash-Parameter von Firebase',
  'Paste what the Firebase console shows under “Password hash parameters”. It is kept encrypted, and never shown again.':
    'Fügen Sie ein, was die Firebase-Konsole unter „Password hash parameters“ zeigt. Es wird verschlüsselt aufbewahrt und nie wieder angezeigt.',
  'The parameters are there. Leave the field empty to keep them.':
    'Die Parameter sind da. Lassen Sie das Feld leer, um sie zu behalten.',
  'Forget them': 'Vergessen',
  'was changed here since': 'wurde hier seither geändert',
  'was enabled here by an operator': 'wurde hier aktiviert',
  'was disabled here by an operator': 'wurde hier gesperrt',
  'the user has logged in here since': 'der Benutzer hat sich hier seither angemeldet',
  'the user has confirmed the address here': 'der Benutzer hat die Adresse hier bestätigt',
  'another user has the address': 'ein anderer Benutzer hat die Adresse',
  'the user was deleted here': 'der Benutzer wurde hier gelöscht',
  'the user has signed up here': 'der Benutzer hat sich hier registriert',
  'the audit log no longer tells what was changed here':
    'das Protokoll sagt nicht mehr, was hier geändert wurde',
  'one operator alone can set no password; the user can ask for a new one at the login':
    'ein Operator allein kann kein Passwort setzen; der Benutzer kann bei der Anmeldung ein neues anfordern',
  'With a fault: they are left out': 'Mit einem Fehler: Sie werden ausgelassen',
  'These columns go nowhere:': 'Diese Spalten werden ausgelassen:',
  'Import them': 'Importieren',
  'Discard the file': 'Datei verwerfen',
  Faults: 'Fehler',
  Line: 'Zeile',
  Fault: 'Fehler',
  'All faults as CSV': 'Alle Fehler als CSV',
  'All of them as CSV': 'Alle als CSV',
  'What stays as it is here, as CSV': 'Was hier bleibt, wie es ist, als CSV',
  'The first who would be created': 'Die Ersten, die angelegt würden',
  'The columns': 'Die Spalten',
  'The upload was broken off. Discard it, and upload the file again.':
    'Das Hochladen wurde abgebrochen. Verwerfen Sie die Datei, und laden Sie sie noch einmal hoch.',
  'The first rows': 'Die ersten Zeilen',
  Also: 'Außerdem',
  '(none)': '(keine)',
  'Algorithm, where a row names none': 'Algorithmus, wo eine Zeile keinen nennt',
  '(as the row says)': '(wie die Zeile sagt)',
  'Take them over': 'Übernehmen',
  'Leave them out: users choose new ones': 'Auslassen: Benutzer wählen neue',
  'Users with these values:': 'Benutzer mit diesen Werten:',
  'all other values': 'alle anderen Werte',
  'only this value (optional)': 'nur dieser Wert (optional)',
  'Values of columns of unknown names are not shown, as they may be passwords. Look into the file, and name one.':
    'Werte von Spalten mit unbekannten Namen werden nicht gezeigt, da sie Passwörter sein können. Sehen Sie in der Datei nach, und nennen Sie einen.',
  '(not decided)': '(nicht entschieden)',
  'must not log in': 'dürfen sich nicht anmelden',
  'may log in': 'dürfen sich anmelden',
  'Columns to keep as metadata:': 'Spalten, die als Metadaten bleiben:',
  'Columns with names such as profile.locale or metadata.plan are found by their names.':
    'Spalten mit Namen wie profile.locale oder metadata.plan werden an ihren Namen erkannt.',
  'Check the file': 'Datei prüfen',
} as const
