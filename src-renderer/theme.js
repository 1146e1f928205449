// Runs before the first paint, so that nobody sees the wrong colours flash. Kept in step with app/preferences.ts.
;(() => {
  const root = document.documentElement
  let theme = null
  let density = null
  try {
    theme = localStorage.getItem('farebox-theme')
    density = localStorage.getItem('farebox-density')
  } catch {
    // Storage can be switched off; then the system's colours hold.
  }
  const isDark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.dataset.theme = isDark ? 'dark' : 'light'
  root.dataset.density = density === 'comfortable' ? 'comfortable' : 'dense'
})()
