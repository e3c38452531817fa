/** The sentences for refused writes of users, their credentials and messages to them. */
export const users = {
  address_changed_by_you: {
    en: 'You have changed the address of this user, so another operator has to do this.',
    de: 'Sie haben die Adresse dieses Benutzers geändert. Deshalb muss das ein anderer Operator tun.',
  },
  address_held: {
    en: 'An operator has changed the address of this user, and links to it wait for a second operator. Another operator can mark the address as verified; otherwise links work from {time} UTC.',
    de: 'Ein Operator hat die Adresse dieses Benutzers geändert. Links dorthin gibt es erst, wenn ein zweiter Operator sie als bestätigt markiert hat, sonst ab {time} UTC.',
  },
  email_taken: {
    en: 'Another user of this tenant has this "profile.email".',
    de: 'Ein anderer Benutzer dieses Mandanten hat diese Adresse („profile.email“).',
  },
  user_changed_since: {
    en: 'The user was changed meanwhile.',
    de: 'Der Benutzer wurde inzwischen geändert.',
  },
  user_changed_meanwhile: {
    en: 'The user was changed meanwhile. Read the user again.',
    de: 'Der Benutzer wurde inzwischen geändert. Laden Sie die Seite neu.',
  },
  login_ended: {
    en: 'The login has ended meanwhile.',
    de: 'Die Anmeldung ist inzwischen beendet.',
  },
  address_changed_meanwhile: {
    en: 'The address is another by now.',
    de: 'Die Adresse ist inzwischen eine andere.',
  },
  mail_not_sent_again: {
    en: 'Only messages with a link for a new password, for an invitation or to verify an address can be sent again.',
    de: 'Nur Links für ein neues Passwort, eine Einladung oder die Adresse eines Benutzers werden noch einmal gesendet.',
  },
  mail_address_verified: {
    en: 'The address of this user is verified.',
    de: 'Die Adresse dieses Benutzers ist schon bestätigt.',
  },
  mail_user_disabled: {
    en: 'The user is disabled; enable the user first.',
    de: 'Der Benutzer ist gesperrt; aktivieren Sie ihn zuerst.',
  },
  mail_passwords_off: {
    en: 'The tenant allows no passwords ("allow_passwords").',
    de: 'Der Mandant erlaubt keine Passwörter („allow_passwords“).',
  },
  mail_password_disabled: {
    en: 'The user or the password is disabled; enable it first.',
    de: 'Der Benutzer oder das Passwort ist gesperrt; aktivieren Sie es zuerst.',
  },
  mail_has_way_in: {
    en: 'The user has a way to log in. Send a link for a new password ("reset") instead.',
    de: 'Der Benutzer hat schon eine Anmeldemethode. Schicken Sie stattdessen einen Link für ein neues Passwort.',
  },
  mail_too_many: {
    en: 'Too many messages went to this address lately. Try again in an hour.',
    de: 'An diese Adresse gingen zuletzt zu viele Nachrichten. Versuchen Sie es in einer Stunde noch einmal.',
  },
  passwords_busy: {
    en: 'Too many passwords are waiting to be hashed; try again in a few seconds.',
    de: 'Zu viele Passwörter warten auf ihre Berechnung; versuchen Sie es in ein paar Sekunden noch einmal.',
  },
  password_exists: {
    en: 'The user has a password credential; change it by POST to its own address, which ends in /credentials/password.',
    de: 'Der Benutzer hat schon ein Passwort; ändern Sie es mit POST an dessen eigener Adresse, die auf /credentials/password endet.',
  },
  profile_too_many: {
    en: '"profile" has {count} members; at most {most} are kept.',
    de: '„profile“ hat {count} Felder; höchstens {most} werden gespeichert.',
  },
  field_profile_member: {
    en: 'The name of a member of "profile"',
    de: 'Der Name eines Feldes von „profile“',
  },
  password_changed_meanwhile: {
    en: 'The stored password has changed since this copy was read, perhaps by a login that upgraded it. GET the credential again and repeat the change on it.',
    de: 'Das gespeicherte Passwort wurde geändert, seit diese Kopie gelesen wurde, vielleicht durch eine Anmeldung, die seinen Hash erneuert hat. Rufen Sie die Anmeldedaten mit GET noch einmal ab, und wiederholen Sie die Änderung daran.',
  },
  password_algorithm: {
    en: '"password.alg" must be one of {all}.',
    de: '„password.alg“ muss eines von diesen sein: {all}.',
  },
  password_length: {
    en: 'The password has {bytes} bytes in UTF-8; it needs 1 to {most}.',
    de: 'Das Passwort hat in UTF-8 {bytes} Bytes; nötig sind 1 bis {most}.',
  },
  password_under_policy: {
    en: 'The password has {characters} characters; the tenant asks for {least} ("{key}").',
    de: 'Das Passwort hat {characters} Zeichen; der Mandant verlangt {least} („{key}“).',
  },
  password_leaked: {
    en: 'The password is on a list of leaked passwords, which the tenant does not accept. Choose another one.',
    de: 'Das Passwort steht auf einer Liste geleakter Passwörter; der Mandant nimmt solche nicht an. Wählen Sie ein anderes.',
  },
  password_not_whole: {
    en: 'The password contains U+0000 or half of a surrogate pair; send well-formed text.',
    de: 'Das Passwort enthält U+0000 oder ein halbes Ersatzzeichenpaar; senden Sie wohlgeformten Text.',
  },
  hash_not_bcrypt: {
    en: '"password.hash" is not a bcrypt hash: 60 characters that begin with $2a$, $2b$ or $2y$.',
    de: '„password.hash“ ist kein bcrypt-Hash: 60 Zeichen, die mit $2a$, $2b$ oder $2y$ beginnen.',
  },
  hash_bcrypt_cost: {
    en: 'The bcrypt hash has cost {cost}; accepted are {least} to {most}. Create the user without a credential and let the password be reset.',
    de: 'Der bcrypt-Hash hat die Kosten {cost}; erlaubt sind {least} bis {most}. Legen Sie den Benutzer ohne Anmeldedaten an, und lassen Sie ihn ein neues Passwort setzen.',
  },
  hash_not_digest: {
    en: '"password.hash" is not a {alg} digest: {digits} hexadecimal digits, or base64 of {bytes} bytes.',
    de: '„password.hash“ ist kein Digest von {alg}: {digits} hexadezimale Ziffern oder {bytes} Bytes in Base64.',
  },
  legacy_scheme: {
    en: '"legacy_password.scheme" must be one of {all}.',
    de: '„legacy_password.scheme“ muss eines von diesen sein: {all}.',
  },
  legacy_scheme_nearest: {
    en: '"legacy_password.scheme" must be one of {all}. Did you mean "{nearest}"?',
    de: '„legacy_password.scheme“ muss eines von diesen sein: {all}. Meinen Sie „{nearest}“?',
  },
  legacy_parameter: {
    en: '"legacy_password.parameters" has an unknown member. {remedy}',
    de: '„legacy_password.parameters“ hat ein unbekanntes Feld. {remedy}',
  },
  legacy_parameter_nearest: {
    en: '"legacy_password.parameters" has an unknown member. {remedy} Did you mean "{nearest}"?',
    de: '„legacy_password.parameters“ hat ein unbekanntes Feld. {remedy} Meinen Sie „{nearest}“?',
  },
  legacy_no_parameters: {
    en: 'The scheme {scheme} takes none: they are in the hash.',
    de: 'Das Verfahren {scheme} nimmt keine: Sie stehen im Hash.',
  },
  legacy_parameters: {
    en: 'The scheme {scheme} takes {known}.',
    de: 'Das Verfahren {scheme} nimmt {known}.',
  },
  legacy_hash: {
    en: '"legacy_password.hash" {fault}.',
    de: '„legacy_password.hash“ {fault}.',
  },
  legacy_too_long: {
    en: 'has {count} characters; accepted are {most}',
    de: 'hat {count} Zeichen; erlaubt sind {most}',
  },
  legacy_not_django: {
    en: 'is not of Django: pbkdf2_sha256$rounds$salt$hash, pbkdf2_sha1 or argon2',
    de: 'ist nicht von Django: pbkdf2_sha256$rounds$salt$hash, pbkdf2_sha1 oder argon2',
  },
  legacy_not_aspnet: {
    en: 'is not of ASP.NET Core Identity: base64 of its version 2 or 3',
    de: 'ist nicht von ASP.NET Core Identity: Base64 der Version 2 oder 3',
  },
  legacy_not_keycloak: {
    en: 'needs "parameters.algorithm": pbkdf2, pbkdf2-sha256, pbkdf2-sha512 or argon2',
    de: 'braucht „parameters.algorithm“: pbkdf2, pbkdf2-sha256, pbkdf2-sha512 oder argon2',
  },
  legacy_pbkdf2_rounds: {
    en: 'has {rounds} rounds of PBKDF2 for each of {blocks} blocks; accepted are 1 to {most} in all',
    de: 'hat {rounds} Runden PBKDF2 für jeden von {blocks} Blöcken; erlaubt sind insgesamt 1 bis {most}',
  },
  legacy_not_argon2: {
    en: 'is not of Argon2: $argon2id$v=19$m=65536,t=3,p=4$salt$hash, or argon2i or argon2d, without a secret',
    de: 'ist nicht von Argon2: $argon2id$v=19$m=65536,t=3,p=4$salt$hash oder argon2i oder argon2d, ohne Geheimnis',
  },
  legacy_argon2_type: {
    en: 'needs "parameters.type": d, i or id',
    de: 'braucht „parameters.type“: d, i oder id',
  },
  legacy_argon2_version: {
    en: 'needs "parameters.version": 1.0 or 1.3',
    de: 'braucht „parameters.version“: 1.0 oder 1.3',
  },
  legacy_argon2_lanes: {
    en: 'asks Argon2 for {lanes} lanes; accepted are 1 to {most}',
    de: 'verlangt von Argon2 {lanes} Bahnen; erlaubt sind 1 bis {most}',
  },
  legacy_argon2_memory: {
    en: 'asks Argon2 for {memory} KiB of memory; accepted are at most {most}, 8 for each lane at the least',
    de: 'verlangt von Argon2 {memory} KiB Speicher; erlaubt sind höchstens {most}, mindestens 8 für jede Bahn',
  },
  legacy_argon2_passes: {
    en: 'asks Argon2 for {passes} passes over {memory} KiB, {all} KiB in all; accepted are 1 to {most} KiB',
    de: 'verlangt von Argon2 {passes} Durchgänge über {memory} KiB, insgesamt {all} KiB; erlaubt sind 1 bis {most} KiB',
  },
  legacy_not_phpass: {
    en: 'is not of phpass: $P$ or $H$ and 31 characters',
    de: 'ist nicht von phpass: $P$ oder $H$ und 31 Zeichen',
  },
  legacy_phpass_rounds: {
    en: 'has 2^{rounds} rounds of phpass; accepted are 2^{least} to 2^{most}',
    de: 'hat 2^{rounds} Runden phpass; erlaubt sind 2^{least} bis 2^{most}',
  },
  legacy_not_wordpress: {
    en: 'is not of WordPress 6.8: $wp$2y$ and 57 characters',
    de: 'ist nicht von WordPress 6.8: $wp$2y$ und 57 Zeichen',
  },
  legacy_wordpress_cost: {
    en: 'has bcrypt at cost {cost}; accepted are 8 to 12',
    de: 'hat bcrypt mit Kosten {cost}; erlaubt sind 8 bis 12',
  },
  legacy_firebase_lengths: {
    en: 'has {bytes} bytes where "parameters.signer_key" has {other}; take both from one project of Firebase',
    de: 'hat {bytes} Bytes, „parameters.signer_key“ aber {other}; nehmen Sie beide aus einem Projekt von Firebase',
  },
  legacy_not_number: {
    en: 'has {found} as "parameters.{name}"; accepted are whole numbers from 1 to {most}',
    de: 'hat {found} als „parameters.{name}“; erlaubt sind ganze Zahlen von 1 bis {most}',
  },
  legacy_nothing: {
    en: 'nothing',
    de: 'nichts',
  },
  legacy_no_number: {
    en: 'no number',
    de: 'keine Zahl',
  },
  legacy_not_text: {
    en: 'has something other than a text as "parameters.{name}"',
    de: 'hat als „parameters.{name}“ etwas anderes als einen Text',
  },
  legacy_needs: {
    en: 'needs "parameters.{name}"',
    de: 'braucht „parameters.{name}“',
  },
  legacy_not_base64: {
    en: 'is not base64 in {part}',
    de: 'ist nicht Base64, und zwar in {part}',
  },
  legacy_bytes: {
    en: 'has {bytes} bytes in {part}; accepted are {least} to {most}',
    de: 'hat {bytes} Bytes in {part}; erlaubt sind {least} bis {most}',
  },
  legacy_part_key: {
    en: 'the key',
    de: 'dem Schlüssel',
  },
  legacy_part_salt: {
    en: 'the salt',
    de: 'dem Salt',
  },
  legacy_part_hash: {
    en: 'the hash',
    de: 'dem Hash',
  },
} as const
