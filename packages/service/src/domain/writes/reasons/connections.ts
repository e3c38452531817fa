/** The sentences for refused writes of connections, and for the results of testing a provider. */
export const connections = {
  provider_knows_client: {
    en: 'It knows the client id and the client secret.',
    de: 'Er kennt die Client-ID und das Client-Geheimnis.',
  },
  provider_knows_no_client: {
    en: 'It does not know the client id, or has another client secret for it.',
    de: 'Er kennt die Client-ID nicht oder hat ein anderes Client-Geheimnis dafür.',
  },
  provider_not_github: {
    en: '{address} answered {status}, and not as GitHub does.',
    de: '{address} antwortete mit {status} und nicht so wie GitHub.',
  },
  provider_has_one_key: {
    en: 'The issuer is {issuer}, and it has one key.',
    de: 'Der Issuer ist {issuer} und hat einen Schlüssel.',
  },
  provider_has_keys: {
    en: 'The issuer is {issuer}, and it has {count} keys.',
    de: 'Der Issuer ist {issuer} und hat {count} Schlüssel.',
  },
  provider_login_at: {
    en: 'Users log in at {address}.',
    de: 'Benutzer melden sich an: {address}.',
  },
  provider_lacks_scopes: {
    en: 'It does not name these scopes: {scopes}.',
    de: 'Er nennt diese Scopes nicht: {scopes}.',
  },
  provider_lacks_code: {
    en: 'It does not name the response type "code".',
    de: 'Er nennt den Antworttyp „code“ nicht.',
  },
  provider_takes_no_secret: {
    en: 'It takes no client secret of {client} at its token endpoint.',
    de: 'Er nimmt an seinem Token-Endpunkt kein Client-Geheimnis von {client} an.',
  },
  address_not_public: {
    en: '{host} is not on the public internet.',
    de: '{host} ist nicht im öffentlichen Internet.',
  },
  address_not_https: {
    en: '{origin} is not served over https.',
    de: '{origin} wird nicht über https angeboten.',
  },
  address_answers_too_much: {
    en: '{address} answered with too much.',
    de: '{address} antwortete mit zu viel.',
  },
  connection_name_taken: {
    en: 'Another connection of this tenant has this name.',
    de: 'Eine andere Verbindung dieses Mandanten hat diesen Namen.',
  },
  connections_full: {
    en: 'The tenant has {count} connections; that is as many as it can have.',
    de: 'Der Mandant hat {count} Verbindungen; mehr kann er nicht haben.',
  },
  connection_no_secret: {
    en: 'The client secret is empty.',
    de: 'Das Client-Geheimnis ist leer.',
  },
  connection_not_apple_key: {
    en: 'The secret of Apple is the private key that Apple has given you: a .p8 file, in PEM.',
    de: 'Das Geheimnis bei Apple ist der private Schlüssel, den Sie von Apple bekommen haben: eine .p8-Datei im PEM-Format.',
  },
  recipe_needs: {
    en: 'The recipe "{recipe}" needs "{option}": {wanted}.',
    de: 'Die Vorlage „{recipe}“ braucht „{option}“: {wanted}.',
  },
  recipe_issuer: {
    en: 'the issuer of the provider, such as https://login.example.com',
    de: 'der Issuer des Anbieters, zum Beispiel https://login.example.com',
  },
  recipe_directory: {
    en: 'the id of your Entra directory, a GUID; "common" would let every directory in',
    de: 'die ID Ihres Entra-Verzeichnisses, eine GUID; „common“ ließe jedes Verzeichnis hinein',
  },
  recipe_team_id: {
    en: 'the team id of your Apple developer account',
    de: 'die Team-ID Ihres Apple-Entwicklerkontos',
  },
  recipe_key_id: {
    en: 'the id of the private key that Apple has given you',
    de: 'die ID des privaten Schlüssels, den Sie von Apple bekommen haben',
  },
  issuer_has_query: {
    en: '"issuer" must not have a query.',
    de: '„issuer“ darf keine Query (?) haben.',
  },
  connection_no_name: {
    en: '"name" is empty; users read it on the button.',
    de: '„name“ ist leer; Benutzer lesen ihn auf der Schaltfläche.',
  },
  connection_no_client_id: {
    en: '"clientId" is empty; the provider tells it.',
    de: '„clientId“ ist leer; der Anbieter nennt sie.',
  },
  scopes_lack: {
    en: '"scopes" must hold "{scope}".',
    de: '„scopes“ muss „{scope}“ enthalten.',
  },
  issuer_not_github: {
    en: '"issuer" must be the address of GitHub alone, such as https://github.example.com, without a path.',
    de: '„issuer“ muss die Adresse von GitHub allein sein, zum Beispiel https://github.example.com, ohne Pfad.',
  },
  not_a_scope: {
    en: '"{scope}" is not a scope.',
    de: '„{scope}“ ist kein Scope.',
  },
  recipe_unknown: {
    en: '"{name}" is not a recipe. Did you mean "{nearest}"?',
    de: '„{name}“ ist keine Vorlage. Meinen Sie „{nearest}“?',
  },
  recipe_unknown_of: {
    en: '"{name}" is not a recipe. There are {all}.',
    de: '„{name}“ ist keine Vorlage. Es gibt {all}.',
  },
  recipe_lacks_option: {
    en: '"{option}" is not an option of the recipe "{recipe}".',
    de: '„{option}“ ist keine Option der Vorlage „{recipe}“.',
  },
} as const
