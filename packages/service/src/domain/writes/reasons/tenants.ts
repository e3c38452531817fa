/**
 * The sentences for refused writes of tenants and settings, for the effects of a change, and for
 * warnings.
 */
export const tenants = {
  four_eyes_owner_only: {
    en: 'Only an owner can change "latchkey_four_eyes".',
    de: 'Nur ein Inhaber kann „latchkey_four_eyes“ ändern.',
  },
  impersonation_owner_only: {
    en: 'Only an owner can change "latchkey_impersonation".',
    de: 'Nur ein Inhaber kann „latchkey_impersonation“ ändern.',
  },
  effect_impersonation_off: {
    en: 'No operator can log in as a user any more. Such logins end at once.',
    de: 'Kein Operator kann sich mehr als Benutzer anmelden. Solche Anmeldungen enden sofort.',
  },
  effect_impersonation_asked: {
    en: 'Owners and admins can ask users to let them log in as them. Logins that no user has agreed to end at once.',
    de: 'Inhaber und Admins können Benutzer bitten, sich als sie anmelden zu dürfen. Anmeldungen ohne Zustimmung enden sofort.',
  },
  effect_impersonation_allowed: {
    en: 'Owners and admins can log in as any user of this tenant without asking. The user is told by mail.',
    de: 'Inhaber und Admins können sich als jeder Benutzer dieses Mandanten anmelden, ohne zu fragen. Der Benutzer erfährt es per E-Mail.',
  },
  effect_password_alone: {
    en: '{users} no other second step. They will log in with their password alone.',
    de: '{users} keinen anderen zweiten Schritt. Sie melden sich dann nur mit dem Passwort an.',
  },
  effect_first_step_alone: {
    en: '{users} no other second step. They will log in with their first step alone.',
    de: '{users} keinen anderen zweiten Schritt. Sie melden sich dann nur mit dem ersten Schritt an.',
  },
  effect_password_by_link: {
    en: '{users} no other way to log in. They can set a password by a mailed link.',
    de: '{users} keine andere Anmeldemethode. Sie können über einen zugeschickten Link ein Passwort setzen.',
  },
  effect_no_login: {
    en: '{users} no other way to log in. They cannot log in any more.',
    de: '{users} keine andere Anmeldemethode. Sie können sich nicht mehr anmelden.',
  },
  effect_one_user: {
    en: '1 user has',
    de: '1 Benutzer hat',
  },
  effect_users: {
    en: '{count} users have',
    de: '{count} Benutzer haben',
  },
  effect_password_length: {
    en: 'Passwords that users choose from now on need {least} characters. Those from before stay good.',
    de: 'Passwörter, die Benutzer ab jetzt wählen, brauchen {least} Zeichen. Die von vorher gelten weiter.',
  },
  effect_password_ranges: {
    en: 'For each new password, the first five of the 40 digits of its SHA-1 are sent to Pwned Passwords. Where that does not answer in time, the password is accepted.',
    de: 'Für jedes neue Passwort gehen die ersten fünf der 40 Stellen seines SHA-1 an Pwned Passwords. Antwortet das nicht rechtzeitig, wird das Passwort angenommen.',
  },
  warning_no_way_in: {
    en: 'Users cannot log in: "allow_passwords" is off, and no other setting allows a way to log in.',
    de: 'Benutzer können sich nicht anmelden: „allow_passwords“ ist aus, und keine andere Einstellung erlaubt eine Anmeldemethode.',
  },
  warning_no_connection: {
    en: '"allow_social" has no effect: no connection is enabled. Add one: latchkey-service connection add',
    de: '„allow_social“ bewirkt nichts: Keine Verbindung ist aktiv. Fügen Sie eine hinzu: latchkey-service connection add',
  },
  warning_plain_http: {
    en: 'Outside developer mode, plain-http URLs do not work, of: {names}.',
    de: 'Ohne den Entwicklermodus funktionieren URLs mit http nicht, von: {names}.',
  },
  warning_lost_keys: {
    en: 'Passkeys and security keys that users added at another domain do not work at this one ({count} of them). They work again when you set it back.',
    de: 'Passkeys und Sicherheitsschlüssel, die Benutzer an einer anderen Domain hinzugefügt haben, funktionieren an dieser nicht ({count} davon). Sie funktionieren wieder, wenn Sie die Domain zurückstellen.',
  },
  warning_developer_mode: {
    en: '"developer_mode" opens no private network and no outbox: the operator has not allowed it.',
    de: '„developer_mode“ öffnet kein privates Netz und keinen Postausgang: Der Betreiber hat es nicht erlaubt.',
  },
  warning_unknown: {
    en: 'The tenant was updated, but the effects of the change could not be read. Post the tenant again to see its warnings.',
    de: 'Der Mandant wurde geändert, aber die Folgen der Änderung konnten nicht gelesen werden. Senden Sie den Mandanten noch einmal, um seine Warnungen zu sehen.',
  },
  tenant_unknown: {
    en: 'There is no tenant with the domain or id “{given}”.',
    de: 'Es gibt keinen Mandanten mit der Domain oder ID „{given}“.',
  },
  tenant_unknown_near: {
    en: 'There is no tenant with the domain or id “{given}”. Did you mean {nearest}?',
    de: 'Es gibt keinen Mandanten mit der Domain oder ID „{given}“. Meinten Sie {nearest}?',
  },
  tenant_domain_taken: {
    en: 'Another tenant has this "settings.domain", or gave it up within the last 30 days; the operator can free it.',
    de: 'Ein anderer Mandant hat diese „settings.domain“ oder hat sie in den letzten 30 Tagen aufgegeben; der Betreiber kann sie freigeben.',
  },
  tenant_domain_has_other: {
    en: 'Another tenant has the domain {domain}. Nothing was changed.',
    de: 'Ein anderer Mandant hat die Domain {domain}. Nichts wurde geändert.',
  },
  metadata_value: {
    en: '"metadata.{key}" is "{value}"; it must be {wanted}.',
    de: '„metadata.{key}“ ist „{value}“; es muss {wanted} sein.',
  },
  wanted_flag_off: {
    en: '"true" or "false", which is the default',
    de: '„true“ oder „false“ (die Vorgabe)',
  },
  wanted_flag_on: {
    en: '"true", which is the default, or "false"',
    de: '„true“ (die Vorgabe) oder „false“',
  },
  wanted_number: {
    en: 'a whole number from {least} to {most}',
    de: 'eine ganze Zahl von {least} bis {most}',
  },
  wanted_day: {
    en: 'a day such as 2026-12-31',
    de: 'ein Tag wie 2026-12-31',
  },
  second_step_not_allowed: {
    en: '"metadata.{key}" requires a second step, and the settings allow none: switch on "allow_totp_app", "allow_hardware" or "allow_totp_email".',
    de: '„metadata.{key}“ verlangt einen zweiten Schritt, und die Einstellungen erlauben keinen: Schalten Sie „allow_totp_app“, „allow_hardware“ oder „allow_totp_email“ ein.',
  },
  second_step_not_at_tenant: {
    en: '"metadata.{key}" requires a second step, and the settings of the tenant allow none: switch on "allow_totp_app", "allow_hardware" or "allow_totp_email" there first.',
    de: '„metadata.{key}“ verlangt einen zweiten Schritt, und die Einstellungen des Mandanten erlauben keinen: Schalten Sie dort zuerst „allow_totp_app“, „allow_hardware“ oder „allow_totp_email“ ein.',
  },
  second_step_of_application: {
    en: 'The application {name} ({id}) requires a second step, and these settings allow none: leave one kind on, or remove "metadata.{key}" of the application first.',
    de: 'Die Anwendung {name} ({id}) verlangt einen zweiten Schritt, und diese Einstellungen erlauben keinen: Lassen Sie eine Art eingeschaltet, oder entfernen Sie zuerst „metadata.{key}“ der Anwendung.',
  },
  effect_second_step_later: {
    en: 'From {day} on, a login needs a second step; until then, users are asked and can postpone it. {have} of {all} users have one. {asked} will be asked; {active} of these have logged in within 30 days.',
    de: 'Ab {day} braucht eine Anmeldung einen zweiten Schritt; bis dahin werden Benutzer gefragt und können ihn aufschieben. {have} von {all} Benutzern haben einen. {asked} werden gefragt; {active} davon haben sich in den letzten 30 Tagen angemeldet.',
  },
  effect_second_step_now: {
    en: 'From now on, a login needs a second step, also within sessions from before. {have} of {all} users have one. {asked} have to add one; {active} of these have logged in within 30 days.',
    de: 'Ab sofort braucht eine Anmeldung einen zweiten Schritt, auch in Sitzungen von vorher. {have} von {all} Benutzern haben einen. {asked} müssen einen hinzufügen; {active} davon haben sich in den letzten 30 Tagen angemeldet.',
  },
  registration_without_trust: {
    en: '"metadata.{key}" has no effect without trust in unregistered clients. Set "metadata.{trust}" to "listed" or "any" too.',
    de: '„metadata.{key}“ bewirkt nichts ohne Vertrauen in nicht registrierte Clients. Setzen Sie auch „metadata.{trust}“ auf „listed“ oder „any“.',
  },
  wanted_impersonation: {
    en: '"off", which is the default, "asked" or "allowed"',
    de: '„off“ (die Vorgabe), „asked“ oder „allowed“',
  },
  wanted_document_trust: {
    en: '"off", which is the default, "listed" or "any"',
    de: '„off“ (die Vorgabe), „listed“ oder „any“',
  },
  wanted_hosts: {
    en: 'hosts in lower case such as agent.example, with spaces between them',
    de: 'Hosts in Kleinbuchstaben wie agent.example, mit Leerzeichen dazwischen',
  },
  host_malformed: {
    en: '"{host}" is no host such as agent.example.',
    de: '„{host}“ ist kein Host wie agent.example.',
  },
  host_not_normal: {
    en: '"{host}" is not in the normal form of a host, which is "{normal}".',
    de: '„{host}“ ist nicht in der Normalform eines Hosts; das ist „{normal}“.',
  },
  blocked_hosts_full: {
    en: '"metadata.{key}" has no room for another host: it has at most {most} characters. Unblock one, or set "latchkey_client_documents" to "listed" and list the hosts that you trust.',
    de: '„metadata.{key}“ hat keinen Platz für einen weiteren Host: Es hat höchstens {most} Zeichen. Heben Sie eine Sperre auf, oder setzen Sie „latchkey_client_documents“ auf „listed“ und führen Sie die Hosts auf, denen Sie vertrauen.',
  },
  wanted_color: {
    en: 'a color such as #3b46c8',
    de: 'eine Farbe wie #3b46c8',
  },
  wanted_image_url: {
    en: 'an https:// URL of an image, without a fragment',
    de: 'eine https://-URL eines Bildes ohne Fragment',
  },
  domain_not_host: {
    en: '"settings.domain" must be the host at which the tenant issues, such as login.example.com.',
    de: '„settings.domain“ muss der Host sein, an dem der Mandant ausstellt, zum Beispiel login.example.com.',
  },
  domain_wildcard: {
    en: '"settings.domain" is {domain}; wildcards are not supported.',
    de: '„settings.domain“ ist {domain}; Platzhalter gehen nicht.',
  },
  domain_underscore: {
    en: '"settings.domain" is {domain}; host names have no underscores.',
    de: '„settings.domain“ ist {domain}; Hostnamen haben keine Unterstriche.',
  },
  domain_needs_txt: {
    en: '"settings.domain": publish the TXT record {name} with the value "{value}" to show that the domain is yours; found {count} others.',
    de: '„settings.domain“: Veröffentlichen Sie den TXT-Eintrag {name} mit dem Wert „{value}“, um zu zeigen, dass die Domain Ihnen gehört; gefunden wurden {count} andere.',
  },
  domain_dns_failed: {
    en: 'The DNS could not be asked for the TXT record {name} ({code}). Try again shortly.',
    de: 'Das DNS konnte nicht nach dem TXT-Eintrag {name} gefragt werden ({code}). Versuchen Sie es gleich noch einmal.',
  },
  domain_loopback: {
    en: '"settings.domain" is {domain}, which is this machine; that is for development only.',
    de: '„settings.domain“ ist {domain}, also dieser Rechner; das geht nur in der Entwicklung.',
  },
  domain_ip_address: {
    en: '"settings.domain" is the IP address {domain}; a name is needed.',
    de: '„settings.domain“ ist die IP-Adresse {domain}; ein Name wird gebraucht.',
  },
  domain_not_host_name: {
    en: '"settings.domain" is {domain}, which is not a host name such as login.example.com.',
    de: '„settings.domain“ ist {domain}; das ist kein Hostname wie login.example.com.',
  },
  domain_one_label: {
    en: '"settings.domain" is {domain}; it needs at least two labels, such as login.example.com.',
    de: '„settings.domain“ ist {domain}; nötig sind mindestens zwei Teile, zum Beispiel login.example.com.',
  },
  domain_public_suffix: {
    en: '"settings.domain" is {domain}, a public suffix below which others have their domains.',
    de: '„settings.domain“ ist {domain}, eine öffentliche Endung, unter der andere ihre Domains haben.',
  },
  domain_of_api: {
    en: '"settings.domain" is {domain}, where the management API is.',
    de: '„settings.domain“ ist {domain}; dort ist die Verwaltungs-API.',
  },
  domain_of_console: {
    en: '"settings.domain" is {domain}, where the management console is.',
    de: '„settings.domain“ ist {domain}; dort ist die Verwaltungskonsole.',
  },
  text_unknown: {
    en: '"{field}" is not the name of a text. The texts are: {known}.',
    de: '„{field}“ ist nicht der Name eines Textes. Die Texte sind: {known}.',
  },
  text_unknown_nearest: {
    en: '"{field}" is not the name of a text. Did you mean "{nearest}"?',
    de: '„{field}“ ist nicht der Name eines Textes. Meinen Sie „{nearest}“?',
  },
  text_mail_unknown: {
    en: 'Choose one of the messages.',
    de: 'Wählen Sie eine der Nachrichten.',
  },
  text_too_long: {
    en: '"{field}" has {count} bytes; {most} is the most.',
    de: '„{field}“ hat {count} Bytes; höchstens {most} sind möglich.',
  },
  text_not_shown: {
    en: '"{field}" has a line break, or a character that is invisible or changes the direction of text. Write one paragraph of plain text.',
    de: '„{field}“ enthält einen Zeilenumbruch oder ein Zeichen, das unsichtbar ist oder die Schreibrichtung ändert. Schreiben Sie einen Absatz aus einfachem Text.',
  },
  text_markup: {
    en: '"{field}" has "<" or ">". Texts are plain: write without markup.',
    de: '„{field}“ enthält „<“ oder „>“. Texte sind einfacher Text: Schreiben Sie ohne Auszeichnung.',
  },
  text_brace: {
    en: '"{field}" has a brace that belongs to no placeholder. Remove it.',
    de: '„{field}“ enthält eine geschweifte Klammer, die zu keinem Platzhalter gehört. Entfernen Sie sie.',
  },
  text_place_unknown: {
    en: '"{field}" has the placeholder {place}, which it cannot have. It can have: {known}.',
    de: '„{field}“ enthält den Platzhalter {place}, den es dort nicht gibt. Möglich sind: {known}.',
  },
  text_place_nearest: {
    en: '"{field}" has the placeholder {place}, which it cannot have. Did you mean {nearest}?',
    de: '„{field}“ enthält den Platzhalter {place}, den es dort nicht gibt. Meinen Sie {nearest}?',
  },
  text_place_missing: {
    en: '"{field}" needs the placeholder {place}: its reader has to know that.',
    de: '„{field}“ braucht den Platzhalter {place}: Wer den Text liest, muss das wissen.',
  },
  text_leads_elsewhere: {
    en: '"{field}" has “{found}”, which leads elsewhere or looks like it. A text has no address of a page or mailbox and no telephone number; the button is part of the message already. After a full stop, leave a space.',
    de: '„{field}“ enthält „{found}“, was woandershin führt oder so aussieht. Ein Text enthält keine Adresse einer Seite oder eines Postfachs und keine Telefonnummer; die Schaltfläche gehört schon zur Nachricht. Nach einem Punkt folgt ein Leerzeichen.',
  },
  logo_format: {
    en: 'A logo is a PNG, JPEG or WebP image; the bytes of this file are none of these.',
    de: 'Ein Logo ist ein Bild als PNG, JPEG oder WebP; die Bytes dieser Datei sind nichts davon.',
  },
  logo_markup: {
    en: 'SVG is refused: it is a document that can hold scripts and links. Export it as PNG or WebP.',
    de: 'SVG wird abgelehnt: Es ist ein Dokument, das Skripte und Links enthalten kann. Exportieren Sie es als PNG oder WebP.',
  },
  logo_too_large: {
    en: 'A logo has at most {most} bytes.',
    de: 'Ein Logo hat höchstens {most} Bytes.',
  },
  logo_too_wide: {
    en: 'The image has {width} x {height} pixels; each side has at most {most}.',
    de: 'Das Bild hat {width} x {height} Pixel; jede Seite hat höchstens {most}.',
  },
  logo_cut: {
    en: 'The header of the image is cut short, or says no size.',
    de: 'Der Kopf des Bildes ist abgeschnitten oder nennt keine Größe.',
  },
  logo_base64: {
    en: '"image" must be the bytes of the image in base64.',
    de: '„image“ muss die Bytes des Bildes in Base64 enthalten.',
  },
  logo_member: {
    en: '"{name}" is not a member of a logo: send "image".',
    de: '„{name}“ gehört nicht zu einem Logo: Senden Sie „image“.',
  },
  logo_no_file: {
    en: 'Choose a file with an image.',
    de: 'Wählen Sie eine Datei mit einem Bild.',
  },
} as const
