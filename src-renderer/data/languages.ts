/** Each language that the dashboard speaks, by its tag, with its name in itself. Each has a folder of that tag in `i18n/`. */
export const LANGUAGE_NAMES = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  pt: 'Português',
  zh: '简体中文',
  ja: '日本語',
} as const

export type Language = keyof typeof LANGUAGE_NAMES
