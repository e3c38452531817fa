type Names = readonly (readonly [pattern: RegExp, name: string])[]

/**
 * The patterns of browsers in a `User-Agent`. A derived browser comes before the browser whose name
 * it also sends.
 */
const BROWSERS: Names = [
  [/\bEdg(e|A|iOS)?\//, 'Microsoft Edge'],
  [/\b(OPR|OPT|OPiOS|Opera)\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet for Android'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\bUC ?Browser\b/, 'UC Browser'],
  [/\bM?QQBrowser\b/, 'QQ Browser'],
  [/\bMicroMessenger\//, 'WeChat'],
  [/\bWhale\//, 'NAVER Whale Browser'],
  [/\b(DuckDuckGo|Ddg)\//, 'DuckDuckGo'],
  [/\bSilk\//, 'Amazon Silk'],
  [/\bFocus\//, 'Focus'],
  [/\bElectron\//, 'Electron'],
  [/\bEpiphany\//, 'Epiphany'],
  [/\bSeaMonkey\//, 'SeaMonkey'],
  [/\bPaleMoon\//, 'Pale Moon'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\bChromium\//, 'Chromium'],
  [/\b(Headless)?(Chrome|CriOS)\//, 'Chrome'],
  [/\b(MSIE |Trident\/)/, 'Internet Explorer'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
]

/**
 * The patterns of operating systems in a `User-Agent`. More specific systems come first, because
 * iOS also names macOS, and Android also names Linux.
 */
const SYSTEMS: Names = [
  [/\bWindows Phone\b/, 'Windows Phone'],
  [/\bWindows\b/, 'Windows'],
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\b(Macintosh|Mac OS X)\b/, 'macOS'],
  [/\b(Open)?Harmony(OS)?\b/, 'HarmonyOS'],
  [/\bWeb[0O]S\b/, 'WebOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'Chrome OS'],
  [/\bPlayStation\b/, 'PlayStation'],
  [/\bLinux\b/, 'Linux'],
]

/**
 * Names the browser and system of a `User-Agent`, such as `Firefox on macOS`; `undefined` if
 * neither is known. The result has only names from the lists above, and no other text of the
 * header.
 */
export function browserAndSystem(userAgent: string): string | undefined {
  const names = [BROWSERS, SYSTEMS].flatMap((known) => {
    const [, name] = known.find(([pattern]) => pattern.test(userAgent)) ?? []
    return name ?? []
  })
  return names.join(' on ') || undefined
}
