/** Parts that mark the name of a secret wherever they occur among its letters. */
const PIECES =
  /passw|passphrase|passcode|passkey|pwd|kennwort|geheim|motdepasse|contrasena|contrasenya|wachtwoord|losenord|parola|senha|haslo|heslo|salasana|token|secret|csrf|xsrf|credential|privatekey|apikey|accesskey|cvv|cvc/

/**
 * Parts that mark the name of a secret only as a whole word, or at the start or end of one.
 * Elsewhere they occur in harmless words.
 */
const WORDS = /^(passe?|pw|pin|tan|mfa|csc)$|pass$|pw$|^otp|^[th]otp$|^pass\d/

/**
 * Whether the name of a form field says that its value is a secret, such as `userPin`,
 * `mot_de_passe` or `cvc2`.
 */
export function isSecretName(name: string): boolean {
  const spaced = name.replace(/([\p{Ll}\d])(?=\p{Lu})/gu, '$1 ')
  const plain = spaced.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ł', 'l').toLowerCase()
  if (PIECES.test(plain.replace(/[^a-z]/g, ''))) return true
  return plain.split(/[^a-z\d]+/).some((word) => WORDS.test(word.replace(/\d+$/, '')))
}
