/** Each language that the dashboard speaks, by its tag, with its name in itself. Each has a folder of that tag in `i18n/`. */
export const LANGUAGE_NAMES = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof LANGUAGE_NAMES
