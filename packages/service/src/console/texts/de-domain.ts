/**
 * The sentences that rules of the domain make, in German: obstacles of a login, effects of a change, reasons of a refusal. The
 * domain has them in English, with their values in place; see `told` in `index.ts`.
 */
export const domainInGerman: Readonly<Record<string, string>> = {
  'This user can’t log in: two people claim the account. Find out whose it is, set the address to theirs, and enable the user.':
    'Dieser Benutzer kann sich nicht anmelden: Zwei Personen beanspruchen das Konto. Finden Sie heraus, wem es gehört, setzen Sie dessen Adresse, und aktivieren Sie den Benutzer.',
  'This user can’t log in: the user is disabled. Enable the user.':
    'Dieser Benutzer kann sich nicht anmelden: Er ist gesperrt. Aktivieren Sie ihn.',
  'This user can’t log in: there is no password, passkey or connected account. Send an invitation.':
    'Dieser Benutzer kann sich nicht anmelden: Es gibt kein Passwort, keinen Passkey und kein verbundenes Konto. Schicken Sie eine Einladung.',
  'This user can’t log in: there is no password, passkey or connected account, and the last message did not arrive (“{answer}”). Correct the address, then send an invitation.':
    'Dieser Benutzer kann sich nicht anmelden: Es gibt kein Passwort, keinen Passkey und kein verbundenes Konto, und die letzte Nachricht kam nicht an („{answer}“). Korrigieren Sie die Adresse und schicken Sie dann eine Einladung.',
  'This user can’t log in: every way to log in is disabled. Remove one and send a link for a new password.':
    'Dieser Benutzer kann sich nicht anmelden: Alle Wege zur Anmeldung sind gesperrt. Entfernen Sie einen und schicken Sie einen Link für ein neues Passwort.',
  'This user can’t log in: the tenant’s settings allow none of the ways to log in that the user has.':
    'Dieser Benutzer kann sich nicht anmelden: Die Einstellungen des Mandanten erlauben keinen der Wege zur Anmeldung, die der Benutzer hat.',
  'This user can’t log in: the only way in is an account at a provider, and its connection is disabled or removed.':
    'Dieser Benutzer kann sich nicht anmelden: Der einzige Weg ist ein Konto bei einem Anbieter, und dessen Verbindung ist gesperrt oder entfernt.',
  'This user can’t log in: the address is not verified, and this tenant requires that. Send the verification again, or mark the address as verified.':
    'Dieser Benutzer kann sich nicht anmelden: Die Adresse ist nicht bestätigt, und dieser Mandant verlangt das. Schicken Sie die Bestätigung noch einmal, oder markieren Sie die Adresse als bestätigt.',
  'Links and codes to the address of this user don’t work {wait}: an operator has changed the address, and no second operator has confirmed it. Another operator can mark it as verified now.':
    'Links und Codes an die Adresse dieses Benutzers funktionieren {wait} nicht: Ein Operator hat die Adresse geändert, und noch kein zweiter hat sie bestätigt. Ein anderer Operator kann sie jetzt als bestätigt markieren.',
  'You have changed the address of this user, so another operator has to do this.':
    'Sie haben die Adresse dieses Benutzers geändert. Deshalb muss das ein anderer Operator tun.',
  'An operator has changed the address of this user, and links to it wait for a second operator. Another operator can mark the address as verified; otherwise links work from {time} UTC.':
    'Ein Operator hat die Adresse dieses Benutzers geändert. Links dorthin gibt es erst, wenn ein zweiter Operator sie als bestätigt markiert hat, sonst ab {time} UTC.',
  'The job is not running.': 'Der Auftrag läuft nicht.',
  'Only an owner can change "latchkey_four_eyes".':
    'Nur ein Besitzer (owner) kann „latchkey_four_eyes“ ändern.',
  'The code or link that this user needs does not arrive: the mail server answered “{answer}”. Correct the address.':
    'Der Code oder Link, den dieser Benutzer braucht, kommt nicht an: Der Mailserver antwortete „{answer}“. Korrigieren Sie die Adresse.',
  'This user can’t log in with the password: too many attempts have failed. Let the user try again, or send a link for a new password.':
    'Dieser Benutzer kann sich nicht mit dem Passwort anmelden: Zu viele Versuche sind fehlgeschlagen. Lassen Sie den Benutzer es wieder versuchen, oder schicken Sie einen Link für ein neues Passwort.',
  'This user can’t log in with the password {wait}: too many attempts have failed. Let the user try again now, or wait.':
    'Dieser Benutzer kann sich {wait} nicht mit dem Passwort anmelden: Zu viele Versuche sind fehlgeschlagen. Lassen Sie den Benutzer es sofort wieder versuchen, oder warten Sie.',
  'This user can’t log in with the password from {network} {wait}: too many attempts have failed. Let the user try again now, or wait.':
    'Dieser Benutzer kann sich von {network} aus {wait} nicht mit dem Passwort anmelden: Zu viele Versuche sind fehlgeschlagen. Lassen Sie den Benutzer es sofort wieder versuchen, oder warten Sie.',
  'This user can’t log in with the password {wait} on a device that the user has used before: too many attempts have failed there. Let the user try again now, or wait.':
    'Dieser Benutzer kann sich auf einem Gerät, das er schon benutzt hat, {wait} nicht mit dem Passwort anmelden: Zu viele Versuche sind dort fehlgeschlagen. Lassen Sie den Benutzer es sofort wieder versuchen, oder warten Sie.',
  'No user can log in {wait}: too many logins have failed there, of this user or of others. Wait, or let the user try from another network.':
    'Niemand kann sich {wait} anmelden: Zu viele Anmeldungen dieses Benutzers oder anderer sind dort fehlgeschlagen. Warten Sie, oder lassen Sie den Benutzer es aus einem anderen Netz versuchen.',
  'No user can log in from {network} {wait}: too many logins have failed there, of this user or of others. Wait, or let the user try from another network.':
    'Niemand kann sich von {network} aus {wait} anmelden: Zu viele Anmeldungen dieses Benutzers oder anderer sind dort fehlgeschlagen. Warten Sie, oder lassen Sie den Benutzer es aus einem anderen Netz versuchen.',
  'This user can’t log in: too many second steps have failed. Let the user try again.':
    'Dieser Benutzer kann sich nicht anmelden: Zu viele zweite Schritte sind fehlgeschlagen. Lassen Sie den Benutzer es wieder versuchen.',
  'This user can’t enter a second step {wait}: too many have failed. Let the user try again now, or wait.':
    'Dieser Benutzer kann {wait} keinen zweiten Schritt eingeben: Zu viele sind fehlgeschlagen. Lassen Sie den Benutzer es sofort wieder versuchen, oder warten Sie.',
  'This user gets no code by mail {wait}: too many messages went to the address. Let the user try again now, or wait.':
    'Dieser Benutzer bekommt {wait} keinen Code per E-Mail: Zu viele Nachrichten gingen an die Adresse. Lassen Sie den Benutzer es sofort wieder versuchen, oder warten Sie.',
  'No user gets a code by mail {wait}: too many messages were asked for there. Wait, or let the user try from another network.':
    'Niemand bekommt {wait} einen Code per E-Mail: Zu viele Nachrichten wurden dort angefordert. Warten Sie, oder lassen Sie den Benutzer es aus einem anderen Netz versuchen.',
  'No user gets a code by mail from {network} {wait}: too many messages were asked for there. Wait, or let the user try from another network.':
    'Niemand bekommt von {network} aus {wait} einen Code per E-Mail: Zu viele Nachrichten wurden dort angefordert. Warten Sie, oder lassen Sie den Benutzer es aus einem anderen Netz versuchen.',
  '{obstacle} Another way to log in is still open.':
    '{obstacle} Ein anderer Weg zur Anmeldung ist noch offen.',
  'for another second': 'noch eine Sekunde',
  'for another {count} seconds': 'noch {count} Sekunden',
  'for another {count} minutes': 'noch {count} Minuten',
  'for another {count} hours': 'noch {count} Stunden',
  '{users} no other second step. They will log in with their password alone.':
    '{users} keinen anderen zweiten Schritt. Sie melden sich dann nur mit dem Passwort an.',
  '{users} no other second step. They will log in with their first step alone.':
    '{users} keinen anderen zweiten Schritt. Sie melden sich dann nur mit dem ersten Schritt an.',
  '{users} no other way to log in. They can set a password by a mailed link.':
    '{users} keinen anderen Weg zur Anmeldung. Sie können über einen zugeschickten Link ein Passwort setzen.',
  '{users} no other way to log in. They cannot log in any more.':
    '{users} keinen anderen Weg zur Anmeldung. Sie können sich nicht mehr anmelden.',
  '1 user has': '1 Benutzer hat',
  '{count} users have': '{count} Benutzer haben',
  'Users cannot log in: "allow_passwords" is off, and no other setting allows a way to log in.':
    'Benutzer können sich nicht anmelden: „allow_passwords“ ist aus, und keine andere Einstellung erlaubt einen Weg zur Anmeldung.',
  '"allow_social" has no effect: no connection is enabled. Add one: latchkey-service connection add':
    '„allow_social“ bewirkt nichts: Keine Verbindung ist aktiv. Fügen Sie eine hinzu: latchkey-service connection add',
  'Outside developer mode, plain-http URLs do not work, of: {names}.':
    'Ohne den Entwicklermodus funktionieren URLs mit http nicht, von: {names}.',
  'Passkeys and security keys that users added at another domain do not work at this one ({count} of them). They work again when you set it back.':
    'Passkeys und Sicherheitsschlüssel, die Benutzer an einer anderen Domain hinzugefügt haben, funktionieren an dieser nicht ({count} davon). Sie funktionieren wieder, wenn Sie die Domain zurückstellen.',
  '"developer_mode" opens no private network and no outbox: the operator has not allowed it.':
    '„developer_mode“ öffnet kein privates Netz und keinen Postausgang: Der Betreiber hat es nicht erlaubt.',
  'Logins may have a nonce in place of PKCE. A stolen code can be put into the login of another user, unless the client checks the nonce.':
    'Anmeldungen dürfen eine Nonce statt PKCE haben. Ein gestohlener Code lässt sich in die Anmeldung eines anderen Benutzers einsetzen, wenn der Client die Nonce nicht prüft.',
  'Logins may have neither PKCE nor a nonce. A stolen code can be put into the login of another user, and no check notices. Use it only for a client that knows neither.':
    'Anmeldungen dürfen weder PKCE noch eine Nonce haben. Ein gestohlener Code lässt sich in die Anmeldung eines anderen Benutzers einsetzen, und keine Prüfung merkt es. Nur für einen Client, der beides nicht kennt.',
  'The application gets access tokens for its APIs with its secret or key alone, without a user. An API has to tell them from those of users: their sub is the client_id.':
    'Die Anwendung bekommt Zugriffstokens für ihre APIs allein mit ihrem Geheimnis oder Schlüssel, ohne Benutzer. Eine API muss sie von denen der Benutzer unterscheiden: Ihr sub ist die client_id.',
  'The application has no secret. Anybody who controls a redirect URL can log users in as it, and scripts on the origins of its redirect URLs can read and keep tokens. A backend with a session, such as the kit, keeps tokens away from scripts.':
    'Die Anwendung hat kein Geheimnis. Jeder, der eine Weiterleitungs-URL kontrolliert, kann Benutzer in ihrem Namen anmelden, und Skripte auf deren Origins können Tokens lesen und behalten. Ein Backend mit einer Sitzung, wie das Kit, hält Tokens von Skripten fern.',
  'The application has no secret and runs on devices of its users, where another app can use its URL scheme or port and ask for a login as it. So users who are logged in confirm each login, and an application cannot log them in silently. A redirect URL with https, which the system ties to one app, is safer than a scheme.':
    'Die Anwendung hat kein Geheimnis und läuft auf Geräten ihrer Benutzer, wo eine andere App ihr URL-Schema oder ihren Port benutzen und in ihrem Namen um eine Anmeldung bitten kann. Deshalb bestätigen angemeldete Benutzer jede Anmeldung, und stille Anmeldungen gibt es nicht. Eine Weiterleitungs-URL mit https, die das System an eine App bindet, ist sicherer als ein Schema.',
  'The application has no secret: it proves itself with a key of its own. Each login is two requests to the service instead of one, and each token request has a signature. Clients without pushed requests and DPoP cannot log users in.':
    'Die Anwendung hat kein Geheimnis: Sie weist sich mit einem eigenen Schlüssel aus. Jede Anmeldung besteht aus zwei Anfragen an den Dienst statt einer, und jede Token-Anfrage hat eine Signatur. Clients ohne Pushed Requests und DPoP können keine Benutzer anmelden.',
  'It knows the client id and the client secret.':
    'Er kennt die Client-ID und das Client-Geheimnis.',
  'It does not know the client id, or has another client secret for it.':
    'Er kennt die Client-ID nicht oder hat ein anderes Client-Geheimnis dafür.',
  '{address} answered {status}, and not as GitHub does.':
    '{address} antwortete mit {status} und nicht so wie GitHub.',
  'The issuer is {issuer}, and it has one key.': 'Der Issuer ist {issuer} und hat einen Schlüssel.',
  'The issuer is {issuer}, and it has {count} keys.':
    'Der Issuer ist {issuer} und hat {count} Schlüssel.',
  'Users log in at {address}.': 'Benutzer melden sich an: {address}.',
  'It does not name these scopes: {scopes}.': 'Er nennt diese Scopes nicht: {scopes}.',
  'It does not name the response type "code".': 'Er nennt den Antworttyp „code“ nicht.',
  'It takes no client secret of {client} at its token endpoint.':
    'Er nimmt an seinem Token-Endpunkt kein Client-Geheimnis von {client} an.',
  '{host} is not on the public internet.': '{host} ist nicht im öffentlichen Internet.',
  '{origin} is not served over https.': '{origin} wird nicht über https angeboten.',
  '{address} answered with too much.': '{address} antwortete mit zu viel.',
  'Accepted: {answer}, after {millis} ms.': 'Angenommen: {answer}, nach {millis} ms.',
  'Not accepted: {answer}, after {millis} ms.': 'Nicht angenommen: {answer}, nach {millis} ms.',
  'answer {status}': 'Antwort {status}',
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
  'Another connection of this tenant has this name.':
    'Eine andere Verbindung dieses Mandanten hat diesen Namen.',
  'Another tenant has this "settings.domain", or gave it up within the last 30 days; the operator can free it.':
    'Ein anderer Mandant hat diese „settings.domain“ oder hat sie in den letzten 30 Tagen aufgegeben; der Betreiber kann sie freigeben.',
  'Another tenant has the domain {domain}. Nothing was changed.':
    'Ein anderer Mandant hat die Domain {domain}. Nichts wurde geändert.',
  'Another user of this tenant has this "profile.email".':
    'Ein anderer Benutzer dieses Mandanten hat diese Adresse („profile.email“).',
  'There is such an object already.': 'So ein Objekt gibt es schon.',
  'Another person changed this a moment ago.': 'Das wurde gerade von jemand anderem geändert.',
  'The user was changed meanwhile. Read the user again.':
    'Der Benutzer wurde inzwischen geändert. Laden Sie die Seite neu.',
  'The login has ended meanwhile.': 'Die Anmeldung ist inzwischen beendet.',
  'The address is another by now.': 'Die Adresse ist inzwischen eine andere.',
  'The endpoint is switched off. Switch it on first.':
    'Der Endpunkt ist ausgeschaltet. Schalten Sie ihn zuerst ein.',
  'This is the only owner. Invite another owner first.':
    'Das ist der einzige Inhaber. Laden Sie zuerst einen anderen ein.',
  'This address is an operator’s already. To give another role, change the role. If all ways to log in are lost, run "latchkey-service operator recover".':
    'Diese Adresse gehört schon einem Operator. Für eine andere Rolle ändern Sie die Rolle. Sind alle Wege zur Anmeldung verloren, führen Sie „latchkey-service operator recover“ aus.',
  'This address was invited as {role}, for all tenants. Change the role or the tenants of that operator first, or invite to the same.':
    'Diese Adresse wurde als {role} eingeladen, für alle Mandanten. Ändern Sie zuerst die Rolle oder die Mandanten dieses Operators, oder laden Sie zu denselben ein.',
  'This address was invited as {role}, for other tenants. Change the role or the tenants of that operator first, or invite to the same.':
    'Diese Adresse wurde als {role} eingeladen, für andere Mandanten. Ändern Sie zuerst die Rolle oder die Mandanten dieses Operators, oder laden Sie zu denselben ein.',
  'An operator needs at least one tenant, or all.':
    'Ein Operator braucht mindestens einen Mandanten oder alle.',
  'A key needs at least one tenant, or all of them.':
    'Ein Schlüssel braucht mindestens einen Mandanten oder alle.',
  'The tenant has {count} endpoints; that is as many as it can have. Delete one first.':
    'Der Mandant hat {count} Endpunkte; mehr kann er nicht haben. Löschen Sie zuerst einen.',
  'The tenant has {count} connections; that is as many as it can have.':
    'Der Mandant hat {count} Verbindungen; mehr kann er nicht haben.',
  'The client secret is empty.': 'Das Client-Geheimnis ist leer.',
  'The secret of Apple is the private key that Apple has given you: a .p8 file, in PEM.':
    'Das Geheimnis bei Apple ist der private Schlüssel, den Sie von Apple bekommen haben: eine .p8-Datei im PEM-Format.',
  'The recipe {recipe} needs {option}: {wanted}.':
    'Die Vorlage {recipe} braucht {option}: {wanted}.',
  'the issuer of the provider, such as https://login.example.com':
    'der Issuer des Anbieters, zum Beispiel https://login.example.com',
  'the id of your Entra directory, a GUID; "common" would let every directory in':
    'die ID Ihres Entra-Verzeichnisses, eine GUID; „common“ ließe jedes Verzeichnis hinein',
  'the team id of your Apple developer account': 'die Team-ID Ihres Apple-Entwicklerkontos',
  'the id of the private key that Apple has given you':
    'die ID des privaten Schlüssels, den Sie von Apple bekommen haben',
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
  'Too many passwords are waiting to be hashed; try again in a few seconds.':
    'Zu viele Passwörter warten auf ihre Berechnung; versuchen Sie es in ein paar Sekunden noch einmal.',
  'The value {value} has no key.': 'Der Wert {value} hat keinen Schlüssel.',
  'The key {key} is there twice.': 'Der Schlüssel {key} ist doppelt.',
  '{field} must be a whole number of seconds.': '{field} muss eine ganze Zahl von Sekunden sein.',
  '{field} has {count} characters; at most {most} are kept.':
    '{field} hat {count} Zeichen; höchstens {most} sind erlaubt.',
  '{field} contains U+0000 or half of a surrogate pair; send well-formed text.':
    '{field} enthält U+0000 oder ein halbes Ersatzzeichenpaar; senden Sie wohlgeformten Text.',
  '{field} is not an email address such as ada@example.com.':
    '{field} ist keine E-Mail-Adresse wie ada@example.com.',
  '{field} contains characters that show nothing.': '{field} enthält Zeichen, die man nicht sieht.',
  '{field} has a domain that cannot receive mail.':
    '{field} hat eine Domain, die keine E-Mails empfangen kann.',
  '{field} is not an absolute URL such as https://app.example.com/callback.':
    '{field} ist keine vollständige URL wie https://app.example.com/callback.',
  '{field} must begin with https:// (http:// is for localhost, or for any host in developer mode).':
    '{field} muss mit https:// beginnen (http:// ist für localhost, im Entwicklermodus für jeden Host).',
  '{field} must not have a fragment.': '{field} darf kein Fragment (#) haben.',
  '{field} must not hold a user name or password.':
    '{field} darf keinen Benutzernamen und kein Passwort enthalten.',
  '{field} is a wildcard, which is not supported: give each URL in full.':
    '{field} ist ein Platzhalter; das geht nicht: Geben Sie jede URL vollständig an.',
  '{field} holds {count} URLs; at most {most} are kept.':
    '{field} hat {count} URLs; höchstens {most} sind erlaubt.',
  'The name of the key': 'Der Name des Schlüssels',
  'The address': 'Die Adresse',
  'A key of "metadata"': 'Ein Schlüssel in „metadata“',
  '"metadata" has {count} keys; at most {most} are kept.':
    '„metadata“ hat {count} Schlüssel; höchstens {most} sind erlaubt.',
  '"metadata.{key}" is "{value}"; it must be {wanted}.':
    '„metadata.{key}“ ist „{value}“; es muss {wanted} sein.',
  '"true" or "false", which is the default': '„true“ oder „false“ (die Vorgabe)',
  '"true", which is the default, or "false"': '„true“ (die Vorgabe) oder „false“',
  'a color such as #3b46c8': 'eine Farbe wie #3b46c8',
  'an https:// URL of an image, without a fragment': 'eine https://-URL eines Bildes ohne Fragment',
  '"metadata.{key}" is "{value}"; it must be "{usual}", which is the default, "{exception}" or "{other}".':
    '„metadata.{key}“ ist „{value}“; es muss „{usual}“ (die Vorgabe), „{exception}“ oder „{other}“ sein.',
  '"metadata.{key}" is "{value}"; it must be "{usual}", which is the default, or "{exception}".':
    '„metadata.{key}“ ist „{value}“; es muss „{usual}“ (die Vorgabe) oder „{exception}“ sein.',
  '"metadata.{key}" must not be "optional" while "{client}" is "{value}": a client without a secret needs PKCE.':
    '„metadata.{key}“ darf nicht „optional“ sein, solange „{client}“ auf „{value}“ steht: Ein Client ohne Geheimnis braucht PKCE.',
  '"metadata.{key}" must not be "allowed" while "{client}" is "{value}": anybody could ask for tokens as a client without a secret.':
    '„metadata.{key}“ darf nicht „allowed“ sein, solange „{client}“ auf „{value}“ steht: Jeder könnte als Client ohne Geheimnis nach Tokens fragen.',
  '"metadata.{key}" says nothing while PKCE is required, as a nonce is asked for only without PKCE. Leave it out, or set "{pkce}" to "optional".':
    '„metadata.{key}“ bewirkt nichts, solange PKCE verlangt wird, denn nach einer Nonce wird nur ohne PKCE gefragt. Lassen Sie es weg, oder setzen Sie „{pkce}“ auf „optional“.',
  '"metadata.{key}" contains "{scope}", which is not a scope; use some of {scopes}, with spaces between them.':
    '„metadata.{key}“ enthält „{scope}“; das ist kein Scope. Nehmen Sie einige von {scopes}, mit Leerzeichen dazwischen.',
  '"metadata.{key}" must contain "openid", which every login needs.':
    '„metadata.{key}“ muss „openid“ enthalten; jede Anmeldung braucht es.',
  '"metadata.{key}" contains "{value}", which is not an absolute URI without a fragment; use some such as https://api.example.com, with spaces between them.':
    '„metadata.{key}“ enthält „{value}“; das ist keine vollständige URI ohne Fragment. Nehmen Sie solche wie https://api.example.com, mit Leerzeichen dazwischen.',
  '"metadata.{key}" begins like a JSON object and is none; use names with spaces between them, or an object such as {"https://api.example.com":"notes:read"}.':
    '„metadata.{key}“ beginnt wie ein JSON-Objekt und ist keines. Nehmen Sie Namen mit Leerzeichen dazwischen, oder ein Objekt wie {"https://api.example.com":"notes:read"}.',
  '"metadata.{key}" has no text for "{name}"; use its scopes with spaces between them, such as "notes:read notes:write".':
    '„metadata.{key}“ hat keinen Text für „{name}“. Nehmen Sie dessen Scopes mit Leerzeichen dazwischen, wie „notes:read notes:write“.',
  '"metadata.{key}" contains "{scope}" for "{name}", which is not a scope; use letters, digits and signs such as : . _ and -, without spaces.':
    '„metadata.{key}“ enthält für „{name}“ den Text „{scope}“; das ist kein Scope. Nehmen Sie Buchstaben, Ziffern und Zeichen wie : . _ und -, ohne Leerzeichen.',
  '"metadata.{key}" contains "{scope}", which is not a scope; use letters, digits and signs such as : . _ and -, without spaces.':
    '„metadata.{key}“ enthält „{scope}“; das ist kein Scope. Nehmen Sie Buchstaben, Ziffern und Zeichen wie : . _ und -, ohne Leerzeichen.',
  '"metadata.{key}" contains "{scope}", which is a scope of logins; choose another name, such as notes:read.':
    '„metadata.{key}“ enthält „{scope}“, einen Scope von Anmeldungen. Nehmen Sie einen anderen Namen, wie notes:read.',
  '"metadata.{key}" has a scope of {count} bytes; at most {most} are kept.':
    '„metadata.{key}“ hat einen Scope von {count} Bytes; höchstens {most} werden gespeichert.',
  '"metadata.{key}" has {count} scopes; at most {most} are kept.':
    '„metadata.{key}“ hat {count} Scopes; höchstens {most} werden gespeichert.',
  '"metadata.{key}" has {count} bytes; at most {most} are kept.':
    '„metadata.{key}“ hat {count} Bytes; höchstens {most} werden gespeichert.',
  '"metadata.{key}" has no sentence for "{scope}"; say what it lets a program do, such as "Read your notes".':
    '„metadata.{key}“ hat keinen Satz für „{scope}“. Sagen Sie, was ein Programm damit darf, wie „Ihre Notizen lesen“.',
  '"metadata.{key}" has a sentence of {count} bytes for "{scope}"; at most {most} are kept.':
    '„metadata.{key}“ hat für „{scope}“ einen Satz von {count} Bytes; höchstens {most} werden gespeichert.',
  '"metadata.{key}" has a sentence for "{scope}" with a line break or another character that shows nothing; leave it out.':
    '„metadata.{key}“ hat für „{scope}“ einen Satz mit einem Zeilenumbruch oder einem anderen unsichtbaren Zeichen. Lassen Sie es weg.',
  '"metadata.{key}" is used with "{api}" only, the identifier of the API. Set it too, or leave the scopes out.':
    '„metadata.{key}“ gilt nur zusammen mit „{api}“, dem Namen der API. Setzen Sie es auch, oder lassen Sie die Scopes weg.',
  '"metadata.{key}" is not a JSON object from scope to sentence; it must be like {"notes:read":"Read your notes"}.':
    '„metadata.{key}“ ist kein JSON-Objekt von Scope zu Satz; es muss so aussehen: {"notes:read":"Ihre Notizen lesen"}.',
  '"metadata.{key}" is "{value}", which is not an absolute URI without a fragment; use one such as https://api.example.com.':
    '„metadata.{key}“ ist „{value}“; das ist keine vollständige URI ohne Fragment. Nehmen Sie eine wie https://api.example.com.',
  '"metadata.{key}" is "{value}", which the application {id} offers already. An API belongs to one application; choose another identifier, or remove it there first.':
    '„metadata.{key}“ ist „{value}“; diese API bietet schon die Anwendung {id} an. Eine API gehört zu einer Anwendung. Nehmen Sie einen anderen Namen, oder entfernen Sie ihn dort zuerst.',
  '"metadata.{key}" is used with "{profile}": "{value}" only. Set it too, or leave the keys out.':
    '„metadata.{key}“ gilt nur zusammen mit „{profile}“: „{value}“. Setzen Sie es auch, oder lassen Sie die Schlüssel weg.',
  '"metadata.{key}" needs the public keys of the application in "{keys}", such as {example}, or their address in "{address}".':
    '„metadata.{key}“ braucht die öffentlichen Schlüssel der Anwendung in „{keys}“, zum Beispiel {example}, oder deren Adresse in „{address}“.',
  '"metadata" must have either "{keys}" or "{address}", not both.':
    '„metadata“ muss entweder „{keys}“ oder „{address}“ haben, nicht beides.',
  '"metadata.{key}" is not a JWK set; it must be like {example}.':
    '„metadata.{key}“ ist kein JWK-Set; es muss so aussehen: {example}.',
  'Key {number} of "metadata.{key}" is a private key: register only the public part, and replace this key.':
    'Schlüssel {number} in „metadata.{key}“ ist ein privater Schlüssel: Registrieren Sie nur den öffentlichen Teil, und ersetzen Sie diesen Schlüssel.',
  'Key {number} of "metadata.{key}" must be of P-256 (ES256), RSA with 2048 bits or more (PS256), or Ed25519.':
    'Schlüssel {number} in „metadata.{key}“ muss P-256 (ES256), RSA mit mindestens 2048 Bit (PS256) oder Ed25519 sein.',
  '"settings.domain" must be the host at which the tenant issues, such as login.example.com.':
    '„settings.domain“ muss der Host sein, an dem der Mandant ausstellt, zum Beispiel login.example.com.',
  '"settings.domain" is {domain}; wildcards are not supported.':
    '„settings.domain“ ist {domain}; Platzhalter gehen nicht.',
  '"settings.domain" is {domain}; host names have no underscores.':
    '„settings.domain“ ist {domain}; Hostnamen haben keine Unterstriche.',
  '"settings.domain": publish the TXT record {name} with the value "{value}" to show that the domain is yours; found {count} others.':
    '„settings.domain“: Veröffentlichen Sie den TXT-Eintrag {name} mit dem Wert „{value}“, um zu zeigen, dass die Domain Ihnen gehört; gefunden wurden {count} andere.',
  'The DNS could not be asked for the TXT record {name} ({code}). Try again shortly.':
    'Das DNS konnte nicht nach dem TXT-Eintrag {name} gefragt werden ({code}). Versuchen Sie es gleich noch einmal.',
  '"url": {reason}': '„url“: {reason}',
  '"{type}" is not a type of events; {hint}': '„{type}“ ist keine Art von Ereignissen; {hint}',
  'The request did not arrive in time.': 'Die Anfrage kam nicht rechtzeitig an.',
  '"settings.domain" is {domain}, which is this machine; that is for development only.':
    '„settings.domain“ ist {domain}, also dieser Rechner; das geht nur in der Entwicklung.',
  '"settings.domain" is the IP address {domain}; a name is needed.':
    '„settings.domain“ ist die IP-Adresse {domain}; ein Name wird gebraucht.',
  '"settings.domain" is {domain}, which is not a host name such as login.example.com.':
    '„settings.domain“ ist {domain}; das ist kein Hostname wie login.example.com.',
  '"settings.domain" is {domain}; it needs at least two labels, such as login.example.com.':
    '„settings.domain“ ist {domain}; nötig sind mindestens zwei Teile, zum Beispiel login.example.com.',
  '"settings.domain" is {domain}, a public suffix below which others have their domains.':
    '„settings.domain“ ist {domain}, eine öffentliche Endung, unter der andere ihre Domains haben.',
  'A form is sent as application/x-www-form-urlencoded.':
    'Ein Formular wird als application/x-www-form-urlencoded geschickt.',
  'The form is too large.': 'Das Formular ist zu groß.',
  '"issuer" must not have a query.': '„issuer“ darf keine Query (?) haben.',
  '"name" is empty; users read it on the button.':
    '„name“ ist leer; Benutzer lesen ihn auf der Schaltfläche.',
  '"clientId" is empty; the provider tells it.': '„clientId“ ist leer; der Anbieter nennt sie.',
  '"scopes" must hold "{scope}".': '„scopes“ muss „{scope}“ enthalten.',
  '"issuer" must be the address of GitHub alone, such as https://github.example.com, without a path.':
    '„issuer“ muss die Adresse von GitHub allein sein, zum Beispiel https://github.example.com, ohne Pfad.',
  '{label} is not the URL of a native application: https://, http:// on localhost, 127.0.0.1 or [::1], or a scheme after a domain of yours, such as com.example.app:/callback.':
    '{label} ist keine URL einer nativen Anwendung: https://, http:// auf localhost, 127.0.0.1 oder [::1], oder ein Schema nach einer Domain von Ihnen, zum Beispiel com.example.app:/callback.',
  '{label} must not have a fragment, a user name or a password.':
    '{label} darf kein Fragment, keinen Benutzernamen und kein Passwort haben.',
  '"{scope}" is not a scope.': '„{scope}“ ist kein Scope.',
  '"settings.domain" is {domain}, where the management API is.':
    '„settings.domain“ ist {domain}; dort ist die Verwaltungs-API.',
  '"settings.domain" is {domain}, where the management console is.':
    '„settings.domain“ ist {domain}; dort ist die Verwaltungskonsole.',
  '"metadata.{key}" is "{value}"; the only profile is "{profile}".':
    '„metadata.{key}“ ist „{value}“; das einzige Profil ist „{profile}“.',
  '"metadata.{key}" does not allow "{other}".': '„metadata.{key}“ erlaubt „{other}“ nicht.',
  'The file has no user in it.': 'Die Datei enthält keinen Benutzer.',
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
  'A file may have 500,000 users at most here. Use the command "latchkey users import" for more.':
    'Eine Datei darf hier höchstens 500.000 Benutzer enthalten. Für mehr nehmen Sie den Befehl "latchkey users import".',
  'This import waits no longer: it was begun or discarded. Open its page again.':
    'Dieser Import wartet nicht mehr: Er wurde begonnen oder verworfen. Öffnen Sie seine Seite noch einmal.',
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
