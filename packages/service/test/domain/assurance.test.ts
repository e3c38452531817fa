import { expect, test } from 'vitest'
import { acrOf, answeredAcr, meets } from '../../src/domain/ways/assurance.ts'

const { two_step: twoStep, mfa, phr, phrh } = acrOf

test('a request is answered with the first requested value that the login meets', () => {
  expect(answeredAcr(mfa, [phr, twoStep, mfa])).toBe(twoStep)
  expect(answeredAcr(phr, [mfa])).toBe(mfa)
  expect(answeredAcr(phrh, [phr])).toBe(phr)
})

test('a request is answered with the strongest value of the login when none that was requested is met', () => {
  expect(answeredAcr(twoStep, [mfa, phr])).toBe(twoStep)
  expect(answeredAcr(mfa, ['urn:example:unknown'])).toBe(mfa)
  expect(answeredAcr(mfa, [])).toBe(mfa)
})

test('a login by one factor meets no value, and an unknown value is never met', () => {
  for (const value of [twoStep, mfa, phr, phrh, '', 'urn:example:unknown']) {
    expect(meets(undefined, value)).toBe(false)
  }
  expect(meets('urn:example:unknown', 'urn:example:unknown')).toBe(false)
})
