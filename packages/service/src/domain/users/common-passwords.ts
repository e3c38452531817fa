/** Common passwords that the library's list lacks: rows of digits, years, and German words. */
const furtherPasswords = `0123456789 987654321 9876543210 00000000 88888888 12341234 123123123
  p@ssword password1! password1234 passwort1 passwort123 kennwort hallo123 geheim123 ichliebedich
  welcome2024 welcome2025 welcome2026 admin1234 abcdefgh linkedin schatz123
  ${seasons()}`

function seasons(): string {
  const names = ['spring', 'summer', 'autumn', 'winter', 'sommer', 'herbst', 'fruehling']
  const years = [2020, 2021, 2022, 2023, 2024, 2025, 2026, 2027]
  return names.flatMap((name) => years.map((year) => name + year)).join(' ')
}

let loading: Promise<ReadonlySet<string>> | undefined

/**
 * The most common leaked passwords, in lower case: 18,000 of eight characters or more. The first
 * call loads the list of 2 MB, which no other part of the service needs.
 */
export function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  loading ??= load()
  return loading
}

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const common = dictionary['passwords-common'] as readonly string[]
  return new Set([...common, ...furtherPasswords.split(/\s+/)].map((text) => text.toLowerCase()))
}
