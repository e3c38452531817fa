import { expect, test } from 'vitest'
import { browserAndSystem } from '../src/login/user-agent.ts'

const webkit = 'AppleWebKit/537.36 (like Gecko)'
const [windows, mac] = ['Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7']
const [phone, android] = ['iPhone; CPU iPhone OS 18_5 like Mac OS X', 'Linux; Android 10; K']

test.each([
  ['Firefox on Windows', `(${windows}; rv:140.0) Gecko/20100101 Firefox/140.0`],
  ['Firefox on Linux', '(X11; Ubuntu; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  ['Firefox on Android', '(Android 15; Mobile; rv:139.0) Gecko/139.0 Firefox/139.0'],
  ['Firefox on iOS', `(${phone}) ${webkit} FxiOS/139.0 Mobile/15E148 Safari/605.1.15`],
  ['Chrome on Windows', `(${windows}) ${webkit} Chrome/137.0.0.0 Safari/537.36`],
  ['Chrome on Chrome OS', `(X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/137.0.0.0 Safari/537.36`],
  ['Chrome on iOS', `(${phone}) ${webkit} CriOS/137.0.7151.51 Mobile/15E148 Safari/604.1`],
  ['Microsoft Edge on Windows', `(${windows}) ${webkit} Chrome/137.0 Safari/537.36 Edg/137.0`],
  ['Microsoft Edge on Android', `(${android}) ${webkit} Chrome/137.0 Mobile Safari/537 EdgA/136.0`],
  ['Opera on macOS', `(${mac}) ${webkit} Chrome/137.0.0.0 Safari/537.36 OPR/121.0.0.0`],
  [
    'Samsung Internet for Android on Android',
    `(${android}) ${webkit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
  ],
  ['Safari on iOS', `(${phone}) ${webkit} Version/18.5 Mobile/15E148 Safari/604.1`],
  ['Safari on macOS', `(${mac}) ${webkit} Version/18.5 Safari/605.1.15`],
  ['DuckDuckGo on macOS', `(${mac}) ${webkit} Version/18.4 Safari/605.1.15 Ddg/18.4`],
  ['Internet Explorer on Windows', '(Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko'],
])('a user agent is named: %s', (name, userAgent) => {
  expect(browserAndSystem(`Mozilla/5.0 ${userAgent}`)).toBe(name)
})

test.each(['curl/8.5.0', 'Evil<script>/1.0 x', ''])(
  'no text of a visitor is a name: %j',
  (text) => {
    expect(browserAndSystem(text)).toBeUndefined()
  },
)
