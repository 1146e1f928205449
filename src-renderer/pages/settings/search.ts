/** What the address of this page may say behind the question mark. */
export type SettingsSearch = Record<never, never>

export function parseSearch(): SettingsSearch {
  return {}
}
