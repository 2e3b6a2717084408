// Runs before the first paint, so that a chosen theme and language do not flash.
try {
  const theme = localStorage.getItem('lukasa.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  const language = localStorage.getItem('lukasa.language')
  if (language) document.documentElement.lang = language
} catch {}
