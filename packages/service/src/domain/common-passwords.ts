/**
 * Passwords of at least 8 characters that head every published list of leaked ones, in lower case.
 * Shorter ones are refused anyway.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  `12345678 123456789 1234567890 12345678910 0123456789 987654321 9876543210 11111111 00000000
  88888888 12341234 11223344 123123123 112233445566 147258369 123321123 1q2w3e4r 1q2w3e4r5t
  1qaz2wsx 1qazxsw2 qwertyui qwertyuiop qwerty123 qwerty12345 asdfghjk asdfghjkl zxcvbnm1
  zxcvbnm123 qazwsxedc q1w2e3r4 q1w2e3r4t5 password password1 password12 password123 password1234
  passw0rd p@ssw0rd p@ssword pa55word password! password1! mypassword passwort passwort1
  passwort123 kennwort hallo123 geheim123 iloveyou iloveyou1 ichliebedich princess princess1
  sunshine sunshine1 football football1 baseball baseball1 basketball superman superman1 batman123
  starwars pokemon1 pokemon123 trustno1 whatever michelle jennifer jessica1 charlie1 michael1
  computer internet letmein1 letmein123 welcome1 welcome123 welcome2024 welcome2025 admin123
  admin1234 administrator changeme changeme1 default1 abcd1234 abc12345 abcdefgh abcdefg1 aa123456
  a1234567 a12345678 a123456789 samsung1 samsung123 google123 facebook linkedin dragon123 monkey123
  shadow123 master123 test1234 testtest testing123 temp1234 summer2024 summer2025 winter2024
  winter2025 spring2025 liverpool chelsea1 arsenal1 barcelona realmadrid fussball schatz123
  sommer2024 sommer2025 danielle midnight butterfly blink182 corvette mercedes porsche911`.split(
    /\s+/,
  ),
)
