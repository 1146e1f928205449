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
// Where a script does not come, because the gateway has stopped or is another version by now, that is said instead of nothing. No
// catalogue of words can be there yet.
;(() => {
  const words = {
    de: ['Das Dashboard konnte nicht geladen werden. Läuft Farebox noch?', 'Erneut versuchen'],
    en: ['The dashboard could not be loaded. Is Farebox still running?', 'Try again'],
    es: ['No se pudo cargar el panel. ¿Sigue Farebox en marcha?', 'Reintentar'],
    fr: ['Le tableau de bord n’a pas pu être chargé. Farebox tourne-t-il encore ?', 'Réessayer'],
    ja: ['ダッシュボードを読み込めませんでした。Farebox は動いていますか。', '再試行'],
    pt: ['Não foi possível carregar o painel. O Farebox ainda está em execução?', 'Tentar de novo'],
    zh: ['无法加载控制台。Farebox 还在运行吗？', '重试'],
  }
  const language = () => {
    let chosen = null
    try {
      chosen = localStorage.getItem('farebox-language')
    } catch {
      // Then the browser's languages say it.
    }
    return [chosen, ...navigator.languages.map((one) => one.slice(0, 2))].find((one) => one in words) ?? 'en'
  }
  // Not for ever: where a script is missing, a page that loads itself over and over helps nobody.
  const MAX_LOADS = 3
  const MAX_WAIT_MS = 60_000
  const isLoadLeft = () => {
    try {
      const loads = Number(sessionStorage.getItem('farebox-loads') ?? 0)
      if (loads >= MAX_LOADS) return false
      sessionStorage.setItem('farebox-loads', String(loads + 1))
      return true
    } catch {
      return false
    }
  }
  // What did not come may come the next time, once the gateway answers. Without it the browser would show a page of its own.
  const loadAgain = (box, waitMs = 1000) => setTimeout(() => void lookAgain(box, waitMs), waitMs)
  const lookAgain = async (box, waitMs) => {
    const answer = await fetch(location.href, { cache: 'no-store' }).catch(() => undefined)
    if (!box.isConnected) return
    // The page has come all the same.
    if (box.nextSibling !== null || box.previousSibling !== null) return box.remove()
    if (answer?.ok !== true) loadAgain(box, Math.min(waitMs * 2, 30_000))
    else if (isLoadLeft()) location.reload()
  }
  const tell = (isBroken) => {
    const root = document.getElementById('root')
    // Whatever goes wrong later has a page around it, which says so itself.
    if (root === null || root.childElementCount > 0) return
    const lang = language()
    const [text, again] = words[lang]
    const box = document.createElement('div')
    box.setAttribute('role', 'alert')
    box.lang = lang
    box.className = 'mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-10 text-center'
    const says = document.createElement('p')
    says.textContent = text
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'mt-2 rounded-md border border-line-strong px-3 py-1.5'
    button.textContent = again
    button.addEventListener('click', () => location.reload())
    box.append(says, button)
    root.append(box)
    if (isBroken) loadAgain(box)
  }
  addEventListener(
    'error',
    ({ target }) => (target === window || target instanceof HTMLScriptElement) && tell(true),
    true,
  )
  addEventListener('unhandledrejection', () => tell(true))
  // What only takes its time is not begun anew.
  setTimeout(() => tell(false), MAX_WAIT_MS)
})()
