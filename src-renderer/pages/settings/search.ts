import { textIn } from '#renderer/data/search.ts'

/** What the address of this page may say behind the question mark. */
export type SettingsSearch = {
  /** The setting that is brought into sight. */
  readonly open?: string
}

export function parseSearch(raw: Readonly<Record<string, unknown>>): SettingsSearch {
  return { ...textIn(raw, 'open') }
}
