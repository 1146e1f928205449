// Words, one file for each page and language. Only those of the page and the language that are shown are fetched.

import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { bestLanguage } from '#contract/best-language.ts'
import { again } from '#renderer/data/again.ts'
import { LANGUAGE_NAMES, type Language } from '#renderer/data/languages.ts'
import { ownCommand } from '#renderer/data/own-command.ts'

const LANGUAGES = Object.keys(LANGUAGE_NAMES) as Language[]

/** As a choice among all languages needs them. Everybody reads the name of their own. */
export const LANGUAGE_CHOICES = LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))

const STORED = 'farebox-language'

type Catalogue = Readonly<Record<string, unknown>>
const files = import.meta.glob<{ readonly default: Catalogue }>('./*/*.json')
const loaded = new Set<string>()
/** What was chosen last. It is shown as soon as its words are there. */
let wanted: Language = 'en'

/** To be awaited before the first paint. */
export async function startTranslations(): Promise<void> {
  const language = storedLanguage() ?? browserLanguage()
  wanted = language
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    ns: ['common'],
    defaultNS: 'common',
    // React escapes what it draws.
    interpolation: { escapeValue: false, defaultVariables: { command: ownCommand() } },
    resources: {},
  })
  await loadCatalogue('common')
  document.documentElement.lang = language
  // Another tab may choose one.
  addEventListener('storage', () => void show(storedLanguage() ?? browserLanguage()))
}

/** Fetches the words of a page in the present language, and in the one that is about to be shown. */
export async function loadCatalogue(name: string): Promise<void> {
  loaded.add(name)
  await Promise.all([...new Set([currentLanguage(), wanted])].map((language) => add(language, name)))
}

let whenChosen: (language: Language) => void = () => undefined

/** What else is to be done when somebody chooses a language. */
export function onLanguageChosen(handler: (language: Language) => void): void {
  whenChosen = handler
}

/** For this browser, in all of its tabs. */
export async function changeLanguage(language: Language): Promise<void> {
  await showLanguage(language)
  whenChosen(language)
}

/** As if it had been chosen here. */
export async function showLanguage(language: Language): Promise<void> {
  localStorage.setItem(STORED, language)
  await show(language)
}

async function show(language: Language): Promise<void> {
  wanted = language
  if (language === currentLanguage()) return
  await Promise.all([...loaded].map((name) => add(language, name)))
  // Another one may have been chosen meanwhile.
  if (language !== wanted) return
  await i18next.changeLanguage(language)
  document.documentElement.lang = language
}

export function currentLanguage(): Language {
  return LANGUAGES.find((language) => language === i18next.language) ?? 'en'
}

async function add(language: Language, name: string): Promise<void> {
  if (i18next.hasResourceBundle(language, name)) return
  const file = files[`./${language}/${name}.json`]
  const catalogue = file && (await again(file))
  if (catalogue !== undefined) i18next.addResourceBundle(language, name, catalogue.default)
}

function storedLanguage(): Language | undefined {
  const stored = localStorage.getItem(STORED)
  return LANGUAGES.find((language) => language === stored)
}

function browserLanguage(): Language {
  return bestLanguage(navigator.languages, LANGUAGES) ?? 'en'
}
