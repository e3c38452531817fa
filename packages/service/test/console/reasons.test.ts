import { rowFaults } from '@latchkey/management/import'
import { expect, test } from 'vitest'
import { refusedBy } from '../../src/console/forms/refused.ts'
import { translatorOf } from '../../src/console/texts/index.ts'
import { checkNewExceptions } from '../../src/domain/applications/application-exceptions.ts'
import { checkDomain } from '../../src/domain/tenants/domain-names.ts'
import { checkNewFeatures } from '../../src/domain/tenants/tenant-features.ts'
import { type ReasonName, reasons } from '../../src/domain/writes/reasons/index.ts'
import { checkText } from '../../src/domain/writes/rules.ts'

/** The reason of a refusal, as an operator reads it who reads German. */
function inGerman(refuse: () => void): string {
  try {
    refuse()
  } catch (error) {
    return translatorOf('de').t(refusedBy(error).problem)
  }
  throw new Error('Nothing was refused.')
}

const domains = { allowLoopback: false, apiHosts: [], verification: 'none' } as const

test('a value stands in a German sentence as it was entered', () => {
  expect(inGerman(() => checkNewExceptions({ latchkey_pkce: 'disabled' }, undefined))).toBe(
    '„metadata.latchkey_pkce“ ist „disabled“; es muss „required“ (die Vorgabe) oder „optional“ sein.',
  )
  expect(inGerman(() => checkNewFeatures({ latchkey_four_eyes: 'Delete' }, undefined))).toBe(
    '„metadata.latchkey_four_eyes“ ist „Delete“; es muss „true“ (die Vorgabe) oder „false“ sein.',
  )
  expect(inGerman(() => checkDomain('disabled', domains))).toBe(
    '„settings.domain“ ist disabled; nötig sind mindestens zwei Teile, zum Beispiel login.example.com.',
  )
})

test('a value with the words of a sentence in it stays whole', () => {
  const value = 'x"; it must be "true'
  expect(inGerman(() => checkNewFeatures({ latchkey_brand_color: value }, undefined))).toBe(
    `„metadata.latchkey_brand_color“ ist „${value}“; es muss eine Farbe wie #3b46c8 sein.`,
  )
  const label = '"metadata.{most} has 3 characters"'
  expect(inGerman(() => checkText('invalid_metadata', label, 'abcd', 2))).toBe(
    `${label} hat 4 Zeichen; höchstens 2 sind erlaubt.`,
  )
})

test.each(Object.entries(rowFaults))(
  'the console says %s of a row with the values that the fault has',
  (name, words) => {
    const placesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, place]) => place)
    const { en } = reasons[`row_${name}` as ReasonName]
    expect(placesIn(en)).toEqual(placesIn(words))
    // A flag is of the command alone.
    if (!words.includes('--')) expect(en).toBe(words)
  },
)
