// Shows the time of the reader's clock beside each time in UTC, where the two differ.
;(() => {
  const { lang } = document.documentElement
  for (const time of document.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime)
    if (Number.isNaN(at.getTime()) || at.getTimezoneOffset() === 0) continue
    const isExact = /:\d\d:\d\d/.test(time.textContent)
    const local = document.createElement('span')
    local.className = 'local'
    local.textContent = at.toLocaleString(lang, {
      ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
      ...(isExact && { second: '2-digit' }),
    })
    time.append(' ', local)
  }
})()
