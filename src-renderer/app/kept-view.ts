// Colours and language of the owner of the machine, which the gateway keeps: this browser's storage belongs to one address and port, and
// that of the app's window ends with the app. Everybody else's are kept in their browser alone.

import { callApi } from '#renderer/api/client.ts'
import type { Session } from '#renderer/api/session.ts'
import { onThemeChosen, showTheme, THEMES } from '#renderer/app/preferences.ts'
import { LANGUAGE_CHOICES, onLanguageChosen, showLanguage } from '#renderer/i18n/catalogues.ts'

type Name = 'theme' | 'language'

/** What may be kept: nothing but for the owner, and nothing that the gateway was started with. */
let kept: ReadonlySet<string> = new Set()
let shownFor: string | undefined

/** Whoever waits longer for it first sees what this browser chose. */
const MAX_WAIT_MS = 1000

/** To be called once at the start. */
export function keepView(): void {
  onThemeChosen((theme) => keep('theme', theme))
  onLanguageChosen((language) => keep('language', language))
}

function keep(name: Name, value: string): void {
  // It holds in this browser all the same.
  if (kept.has(name)) void callApi('setSetting', { id: name, body: { value } }).catch(() => undefined)
}

/** Shows what the owner chose, wherever that was, once for each session. Without an answer this browser's choice stays. */
export async function showKeptView({ role, name, signed_in_at: session }: Session): Promise<void> {
  if (session === shownFor) return
  shownFor = session
  kept = new Set()
  if (role !== 'administrator' || name !== null) return
  const { promise: waitedLong, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, MAX_WAIT_MS)
  await Promise.race([showChoices(session), waitedLong])
  clearTimeout(timer)
}

async function showChoices(session: string): Promise<void> {
  try {
    const { settings } = await callApi('showSettings')
    if (session !== shownFor) return
    kept = new Set(settings.filter((setting) => setting.is_changeable).map((setting) => setting.name))
    const chosen = (wanted: Name) =>
      settings.find((setting) => setting.name === wanted && setting.source !== 'default')?.value
    const theme = THEMES.find((one) => one === chosen('theme'))
    if (theme !== undefined) showTheme(theme)
    const language = LANGUAGE_CHOICES.find(({ value }) => value === chosen('language'))?.value
    if (language !== undefined) await showLanguage(language)
  } catch {
    // How it looks is no reason to show nothing.
  }
}
