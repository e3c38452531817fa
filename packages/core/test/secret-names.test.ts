// cspell:ignore userpass passwort kennwort contraseña wachtwoord lösenord hasło senha
import { expect, test } from 'vitest'
import { isSecretName } from '../src/login/secret-names.ts'

test.each([
  ...[
    'password',
    'newPasswd',
    'pass',
    'user_pass',
    'userpass',
    'pass2',
    'passphrase',
    'pwd',
    'pw',
    'pw1',
  ],
  ...[
    'passwort',
    'Kennwort',
    'kennwort-neu',
    'mot_de_passe',
    'motDePasse',
    'contraseña',
    'wachtwoord',
  ],
  ...['lösenord', 'hasło', 'senha', 'pin', 'userPin', 'card[pin]', 'cvv', 'CVV2', 'cardCvc', 'tan'],
  ...[
    'totp',
    'otp',
    'otpCode',
    'sms_otp',
    'private_key',
    'privateKey',
    'credential',
    'credentials[0]',
  ],
  ...['_csrf', 'access-token', 'client_secret', 'api_key', 'apiKey', 'X-API-Key'],
])('a field named %s is a secret', (name) => {
  expect(isSecretName(name)).toBe(true)
})

test.each([
  ...[
    'text',
    'shipping',
    'opinion',
    'passenger',
    'passport',
    'spine',
    'pinned',
    'standard',
    'distance',
  ],
  ...[
    'town',
    'description',
    'hotpot',
    'company',
    'postcode',
    'key',
    'author',
    'email',
    'a[b][c]',
    '',
  ],
])('a field named %s is kept', (name) => {
  expect(isSecretName(name)).toBe(false)
})
