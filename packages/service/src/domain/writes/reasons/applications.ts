/** The sentences for refused writes of applications, and for the risks of their exceptions. */
export const applications = {
  price_no_pkce: {
    en: 'Logins may have a nonce in place of PKCE. A stolen code can be put into the login of another user, unless the client checks the nonce.',
    de: 'Anmeldungen dürfen eine Nonce statt PKCE haben. Ein gestohlener Code lässt sich in die Anmeldung eines anderen Benutzers einsetzen, wenn der Client die Nonce nicht prüft.',
  },
  price_no_nonce: {
    en: 'Logins may have neither PKCE nor a nonce. A stolen code can be put into the login of another user, and no check notices. Use it only for a client that knows neither.',
    de: 'Anmeldungen dürfen weder PKCE noch eine Nonce haben. Ein gestohlener Code lässt sich in die Anmeldung eines anderen Benutzers einsetzen, und keine Prüfung merkt es. Nur für einen Client, der beides nicht kennt.',
  },
  price_own_tokens: {
    en: 'The application gets access tokens for its APIs with its secret or key alone, without a user. An API has to tell them from those of users: their sub is the client_id.',
    de: 'Die Anwendung bekommt Zugriffstokens für ihre APIs allein mit ihrem Geheimnis oder Schlüssel, ohne Benutzer. Eine API muss sie von denen der Benutzer unterscheiden: Ihr sub ist die client_id.',
  },
  price_device_logins: {
    en: 'Users of this application can be talked into confirming the login of a stranger’s device. The page that asks them says where the request came from, and warns of it.',
    de: 'Benutzer dieser Anwendung können überredet werden, die Anmeldung auf dem Gerät eines Fremden zu bestätigen. Die Seite, die sie fragt, nennt die Herkunft der Anfrage und warnt davor.',
  },
  price_public: {
    en: 'The application has no secret. Anybody who controls a redirect URL can log users in as this application, and scripts on the origins of its redirect URLs can read and keep tokens. A backend with a session, such as the kit, keeps tokens away from scripts.',
    de: 'Die Anwendung hat kein Geheimnis. Jeder, der eine Weiterleitungs-URL kontrolliert, kann Benutzer in ihrem Namen anmelden, und Skripte auf deren Origins können Tokens lesen und behalten. Ein Backend mit einer Sitzung, wie das Kit, hält Tokens von Skripten fern.',
  },
  price_native: {
    en: 'The application has no secret and runs on devices of its users, where another app can use its URL scheme or port to request a login in its name. So users who are logged in confirm each login, and an application cannot log them in silently. An https redirect URL is safer than a URL scheme, because the system ties it to one app.',
    de: 'Die Anwendung hat kein Geheimnis und läuft auf Geräten ihrer Benutzer, wo eine andere App ihr URL-Schema oder ihren Port benutzen und in ihrem Namen um eine Anmeldung bitten kann. Deshalb bestätigen angemeldete Benutzer jede Anmeldung, und stille Anmeldungen gibt es nicht. Eine Weiterleitungs-URL mit https, die das System an eine App bindet, ist sicherer als ein Schema.',
  },
  price_fapi: {
    en: 'The application has no secret: it proves itself with a key of its own. Each login is two requests to the service instead of one, and each token request has a signature. Clients without pushed requests and DPoP cannot log users in.',
    de: 'Die Anwendung hat kein Geheimnis: Sie weist sich mit einem eigenen Schlüssel aus. Jede Anmeldung besteht aus zwei Anfragen an den Dienst statt einer, und jede Token-Anfrage hat eine Signatur. Clients ohne Pushed Requests und DPoP können keine Benutzer anmelden.',
  },
  exception_value_of_three: {
    en: '"metadata.{key}" is "{value}"; it must be "{usual}", which is the default, "{exception}" or "{other}".',
    de: '„metadata.{key}“ ist „{value}“; es muss „{usual}“ (die Vorgabe), „{exception}“ oder „{other}“ sein.',
  },
  exception_value_of_two: {
    en: '"metadata.{key}" is "{value}"; it must be "{usual}", which is the default, or "{exception}".',
    de: '„metadata.{key}“ ist „{value}“; es muss „{usual}“ (die Vorgabe) oder „{exception}“ sein.',
  },
  exception_pkce_without_secret: {
    en: '"metadata.{key}" must not be "optional" while "{client}" is "{value}": a client without a secret needs PKCE.',
    de: '„metadata.{key}“ darf nicht „optional“ sein, solange „{client}“ auf „{value}“ steht: Ein Client ohne Geheimnis braucht PKCE.',
  },
  exception_own_tokens_without_secret: {
    en: '"metadata.{key}" must not be "allowed" while "{client}" is "{value}": anybody could ask for tokens as a client without a secret.',
    de: '„metadata.{key}“ darf nicht „allowed“ sein, solange „{client}“ auf „{value}“ steht: Jeder könnte als Client ohne Geheimnis nach Tokens fragen.',
  },
  exception_nonce_with_pkce: {
    en: '"metadata.{key}" says nothing while PKCE is required, as a nonce is asked for only without PKCE. Leave it out, or set "{pkce}" to "optional".',
    de: '„metadata.{key}“ bewirkt nichts, solange PKCE verlangt wird, denn nach einer Nonce wird nur ohne PKCE gefragt. Lassen Sie es weg, oder setzen Sie „{pkce}“ auf „optional“.',
  },
  scopes_unknown: {
    en: '"metadata.{key}" contains "{scope}", which is not a scope; use some of {scopes}, with spaces between them.',
    de: '„metadata.{key}“ enthält „{scope}“; das ist kein Scope. Nehmen Sie einige von {scopes}, mit Leerzeichen dazwischen.',
  },
  scopes_without_openid: {
    en: '"metadata.{key}" must contain "openid", which every login needs.',
    de: '„metadata.{key}“ muss „openid“ enthalten; jede Anmeldung braucht es.',
  },
  resources_not_uri: {
    en: '"metadata.{key}" contains "{value}", which is not an absolute URI without a fragment; use some such as https://api.example.com, with spaces between them.',
    de: '„metadata.{key}“ enthält „{value}“; das ist keine vollständige URI ohne Fragment. Nehmen Sie solche wie https://api.example.com, mit Leerzeichen dazwischen.',
  },
  resources_not_json: {
    en: '"metadata.{key}" begins like a JSON object but is not one; use names with spaces between them, or an object such as {"https://api.example.com":"notes:read"}.',
    de: '„metadata.{key}“ beginnt wie ein JSON-Objekt und ist keines. Nehmen Sie Namen mit Leerzeichen dazwischen, oder ein Objekt wie {"https://api.example.com":"notes:read"}.',
  },
  resources_no_text: {
    en: '"metadata.{key}" has no text for "{name}"; use its scopes with spaces between them, such as "notes:read notes:write".',
    de: '„metadata.{key}“ hat keinen Text für „{name}“. Nehmen Sie dessen Scopes mit Leerzeichen dazwischen, wie „notes:read notes:write“.',
  },
  resources_not_scope: {
    en: '"metadata.{key}" contains "{scope}" for "{name}", which is not a scope; use letters, digits and signs such as : . _ and -, without spaces.',
    de: '„metadata.{key}“ enthält für „{name}“ den Text „{scope}“; das ist kein Scope. Nehmen Sie Buchstaben, Ziffern und Zeichen wie : . _ und -, ohne Leerzeichen.',
  },
  api_not_scope: {
    en: '"metadata.{key}" contains "{scope}", which is not a scope; use letters, digits and signs such as : . _ and -, without spaces.',
    de: '„metadata.{key}“ enthält „{scope}“; das ist kein Scope. Nehmen Sie Buchstaben, Ziffern und Zeichen wie : . _ und -, ohne Leerzeichen.',
  },
  api_scope_of_logins: {
    en: '"metadata.{key}" contains "{scope}", which is a scope of logins; choose another name, such as notes:read.',
    de: '„metadata.{key}“ enthält „{scope}“, einen Scope von Anmeldungen. Nehmen Sie einen anderen Namen, wie notes:read.',
  },
  api_scope_too_long: {
    en: '"metadata.{key}" has a scope of {count} bytes; at most {most} are kept.',
    de: '„metadata.{key}“ hat einen Scope von {count} Bytes; höchstens {most} werden gespeichert.',
  },
  api_too_many_scopes: {
    en: '"metadata.{key}" has {count} scopes; at most {most} are kept.',
    de: '„metadata.{key}“ hat {count} Scopes; höchstens {most} werden gespeichert.',
  },
  api_too_long: {
    en: '"metadata.{key}" has {count} bytes; at most {most} are kept.',
    de: '„metadata.{key}“ hat {count} Bytes; höchstens {most} werden gespeichert.',
  },
  api_no_sentence: {
    en: '"metadata.{key}" has no sentence for "{scope}"; say what it lets a program do, such as "Read your notes".',
    de: '„metadata.{key}“ hat keinen Satz für „{scope}“. Sagen Sie, was ein Programm damit darf, wie „Ihre Notizen lesen“.',
  },
  api_sentence_too_long: {
    en: '"metadata.{key}" has a sentence of {count} bytes for "{scope}"; at most {most} are kept.',
    de: '„metadata.{key}“ hat für „{scope}“ einen Satz von {count} Bytes; höchstens {most} werden gespeichert.',
  },
  api_sentence_invisible: {
    en: '"metadata.{key}" has a sentence for "{scope}" with a line break or another character that shows nothing; leave it out.',
    de: '„metadata.{key}“ hat für „{scope}“ einen Satz mit einem Zeilenumbruch oder einem anderen unsichtbaren Zeichen. Lassen Sie es weg.',
  },
  api_scopes_without_api: {
    en: '"metadata.{key}" is used with "{api}" only, the identifier of the API. Set it too, or leave the scopes out.',
    de: '„metadata.{key}“ gilt nur zusammen mit „{api}“, der Kennung der API. Setzen Sie es auch, oder lassen Sie die Scopes weg.',
  },
  api_clients_unknown: {
    en: '"metadata.{key}" is "{value}"; it must be "registered", which is the default, or "documents".',
    de: '„metadata.{key}“ ist „{value}“; es muss „registered“ (die Vorgabe) oder „documents“ sein.',
  },
  api_clients_without_scopes: {
    en: '"metadata.{key}" is "{value}", and the API has no scopes: users could not be asked for their consent. Set "{api}" and "{scopes}" too.',
    de: '„metadata.{key}“ ist „{value}“, und die API hat keine Scopes: Benutzer könnten nicht um ihre Zustimmung gebeten werden. Setzen Sie auch „{api}“ und „{scopes}“.',
  },
  api_scopes_not_json: {
    en: '"metadata.{key}" is not a JSON object from scope to sentence; it must be like {"notes:read":"Read your notes"}.',
    de: '„metadata.{key}“ ist kein JSON-Objekt von Scope zu Satz; es muss so aussehen: {"notes:read":"Ihre Notizen lesen"}.',
  },
  api_not_uri: {
    en: '"metadata.{key}" is "{value}", which is not an absolute URI without a fragment; use one such as https://api.example.com.',
    de: '„metadata.{key}“ ist „{value}“; das ist keine vollständige URI ohne Fragment. Nehmen Sie eine wie https://api.example.com.',
  },
  api_taken: {
    en: '"metadata.{key}" is "{value}", which the application {id} offers already. An API belongs to one application; choose another identifier, or remove it there first.',
    de: '„metadata.{key}“ ist „{value}“; diese API bietet schon die Anwendung {id} an. Eine API gehört zu einer Anwendung. Nehmen Sie eine andere Kennung, oder entfernen Sie sie dort zuerst.',
  },
  profile_keys_without_profile: {
    en: '"metadata.{key}" is used with "{profile}": "{value}" only. Set it too, or leave the keys out.',
    de: '„metadata.{key}“ gilt nur zusammen mit „{profile}“: „{value}“. Setzen Sie es auch, oder lassen Sie die Schlüssel weg.',
  },
  profile_needs_keys: {
    en: '"metadata.{key}" needs the public keys of the application in "{keys}", such as {example}, or their address in "{address}".',
    de: '„metadata.{key}“ braucht die öffentlichen Schlüssel der Anwendung in „{keys}“, zum Beispiel {example}, oder deren Adresse in „{address}“.',
  },
  profile_keys_twice: {
    en: '"metadata" must have either "{keys}" or "{address}", not both.',
    de: '„metadata“ muss entweder „{keys}“ oder „{address}“ haben, nicht beides.',
  },
  profile_not_jwks: {
    en: '"metadata.{key}" is not a JWK set; it must be like {example}.',
    de: '„metadata.{key}“ ist kein JWK-Set; es muss so aussehen: {example}.',
  },
  profile_private_key: {
    en: 'is a private key: register only the public part, and replace this key',
    de: 'ist ein privater Schlüssel: Registrieren Sie nur den öffentlichen Teil, und ersetzen Sie diesen Schlüssel',
  },
  profile_key_kind: {
    en: 'must be of P-256 (ES256), RSA with 2048 bits or more (PS256), or Ed25519',
    de: 'muss P-256 (ES256), RSA mit mindestens 2048 Bit (PS256) oder Ed25519 sein',
  },
  profile_unknown: {
    en: '"metadata.{key}" is "{value}"; the only profile is "{profile}".',
    de: '„metadata.{key}“ ist „{value}“; das einzige Profil ist „{profile}“.',
  },
  profile_not_allowed: {
    en: '"metadata.{key}" does not allow "{other}": "{value}".',
    de: '„metadata.{key}“ erlaubt „{other}“: „{value}“ nicht.',
  },
  url_wildcard: {
    en: '{field} is a wildcard, which is not supported: give each URL in full.',
    de: '{field} ist ein Platzhalter; das geht nicht: Geben Sie jede URL vollständig an.',
  },
  url_not_native: {
    en: '{label} is not the URL of a native application: https://, http:// on localhost, 127.0.0.1 or [::1], or a scheme after a domain of yours, such as com.example.app:/callback.',
    de: '{label} ist keine URL einer nativen Anwendung: https://, http:// auf localhost, 127.0.0.1 oder [::1], oder ein Schema nach einer Domain von Ihnen, zum Beispiel com.example.app:/callback.',
  },
  url_has_fragment_or_user: {
    en: '{label} must not have a fragment, a user name or a password.',
    de: '{label} darf kein Fragment, keinen Benutzernamen und kein Passwort haben.',
  },
  profile_key_of: {
    en: 'Key {number} of "metadata.{key}" {fault}.',
    de: 'Schlüssel {number} in „metadata.{key}“ {fault}.',
  },
  profile_key_use: {
    en: 'is not for signatures',
    de: 'ist nicht für Signaturen',
  },
} as const
