import { cancel, isCancel, password, select, text } from '@clack/prompts'
import { Exit, exitCodes } from '@latchkey/management/command-line'
import type { Provider } from './answers.ts'
import { faultOfFolder, faultOfIssuer } from './faults.ts'
import { type FrameworkName, frameworkNames, frameworkOf, type Language } from './frameworks.ts'

/** Asks for the folder of the application. */
export async function askForFolder(): Promise<string> {
  const folder = await text({
    message: 'The folder of the application',
    placeholder: 'my-app',
    defaultValue: 'my-app',
    validate: (given) => faultOfFolder(given || 'my-app'),
  })
  return answered(folder)
}

/** Asks for the framework of the application. */
export async function askForFramework(): Promise<FrameworkName> {
  const options = frameworkNames.map((value) => ({ value, label: frameworkOf(value).title }))
  return answered(await select<FrameworkName>({ message: 'The framework', options }))
}

/** Asks for the language of the application. */
export async function askForLanguage(): Promise<Language> {
  const options = [
    { value: 'typescript' as const, label: 'TypeScript' },
    { value: 'javascript' as const, label: 'JavaScript' },
  ]
  return answered(await select<Language>({ message: 'The language', options }))
}

/** Asks which provider logs users in. */
export async function askForProvider(): Promise<Provider['name']> {
  const options = [
    { value: 'service' as const, label: 'The Latchkey service, on this machine' },
    { value: 'issuer' as const, label: 'An OpenID Connect provider that you have' },
  ]
  return answered(await select<Provider['name']>({ message: 'Users log in at', options }))
}

/** Asks for the issuer of the provider. */
export async function askForIssuer(): Promise<string> {
  const issuer = await text({
    message: 'The issuer of your provider',
    placeholder: 'https://login.example.com',
    validate: (given) => faultOfIssuer(given ?? ''),
  })
  return answered(issuer)
}

/** Asks for the client id at the provider. The answer may be empty. */
export async function askForClientId(): Promise<string> {
  return answered(await text({ message: 'The client ID there (empty: later)', defaultValue: '' }))
}

/** Asks for the client secret, without showing it. The answer may be empty. */
export async function askForClientSecret(): Promise<string> {
  return answered(await password({ message: 'The client secret there (empty: later)' })) ?? ''
}

function answered<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (!isCancel(answer)) return answer as Exclude<Answer, symbol>
  cancel('Nothing was written.')
  throw new Exit(exitCodes.failed)
}
