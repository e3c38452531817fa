import { expect, test } from 'vitest'
import { shownText } from '../../src/console/frame/shown-text.ts'
import { translatorOf } from '../../src/console/texts/index.ts'

const { t } = translatorOf('en')
const marked = (text: string) => shownText(text, t).includes('class="badge')

test('letters of several scripts in one word are marked, and words of one script are not', () => {
  // The first letter is a Cyrillic one.
  expect(marked('\u0430cme')).toBe(true)
  expect(marked('Acme \u0410\u043a\u043c\u0435')).toBe(false)
  for (const text of ['Acme', 'Zoë Ångström', '山田 太郎', 'Ελένη', "O'Neill", 'ada@example.com']) {
    expect(`${text} ${marked(text)}`).toBe(`${text} false`)
  }
})

test('characters that turn text around or show nothing are shown by their codes', () => {
  expect(shownText('invoice\u202efdp.exe', t)).toContain('U+202E')
  expect(marked('ad\u200ba')).toBe(true)
  expect(marked('\ufeffAda')).toBe(true)
  expect(marked('Ada 👩🏽‍🔬 ❤️')).toBe(false)
})

test('text is escaped, and kept from turning what is around it', () => {
  expect(shownText('<b onclick="x">&\'', t)).toBe(
    '<bdi>&lt;b onclick=&quot;x&quot;&gt;&amp;&#39;</bdi>',
  )
})
