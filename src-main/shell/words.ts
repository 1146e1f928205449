// The words of the tray, a file for each language in `resources/tray`, with times and amounts as that language writes them. A further
// language is one more file.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bestLanguage } from '#contract/best-language.ts'

type Values = Readonly<Record<string, string | number>>

/** As in the dashboard's catalogues: `{{name}}` is a place for a value, and what is counted has a text for each plural. */
type Catalogue = Readonly<Record<string, string>>

const UNITS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const

export class Words {
  readonly language: string
  readonly #catalogue: Catalogue
  readonly #plurals: Intl.PluralRules

  constructor(language: string, catalogue: Catalogue) {
    this.language = language
    this.#catalogue = catalogue
    this.#plurals = new Intl.PluralRules(language)
  }

  has(key: string): boolean {
    return this.#catalogue[key] !== undefined
  }

  /** A key without a text is shown as it is, so that a slip is seen and nothing breaks. */
  text(key: string, values: Values = {}): string {
    const template = this.#catalogue[key] ?? key
    return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ''))
  }

  /** With the plural that the language has for a whole number, which the text may name as `{{count}}`. */
  counted(key: string, count: number, values: Values = {}): string {
    const form = `${key}_${this.#plurals.select(count)}`
    const number = new Intl.NumberFormat(this.language).format(count)
    return this.text(this.has(form) ? form : `${key}_other`, { ...values, count: number })
  }

  /** Credits cut to two digits, never rounded up: the menu must not show credits that do not exist. */
  credits(amount: number): string {
    const cents = Math.floor(Math.round(amount * 1_000_000) / 10_000)
    const written = (value: number) =>
      new Intl.NumberFormat(this.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value / 100)
    return cents < 1 && amount > 0 ? this.text('credits.little', { amount: written(1) }) : written(cents)
  }

  /** With all digits. */
  number(value: number): string {
    return new Intl.NumberFormat(this.language, { maximumFractionDigits: 6 }).format(value)
  }

  /** `1 Dec`, by the clock of this machine. */
  day(atMs: number): string {
    return new Date(atMs).toLocaleDateString(this.language, { day: 'numeric', month: 'short' })
  }

  /** `in 6 days`, in the largest whole unit. */
  relative(atMs: number, nowMs: number): string {
    const distance = atMs - nowMs
    const found = UNITS.find(({ ms }) => Math.abs(distance) >= ms)
    const format = new Intl.RelativeTimeFormat(this.language, { numeric: 'always' })
    return format.format(found === undefined ? 0 : Math.trunc(distance / found.ms), found?.unit ?? 'minute')
  }
}

/** The words of the first wish that there is a file for, else English. `dir` is that of the files. */
export function readWords(dir: string, wanted: readonly string[]): Words {
  const languages = readdirSync(dir).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []))
  const language = bestLanguage(wanted, languages) ?? 'en'
  // A part of the program like its code, which a test holds to its form.
  return new Words(language, JSON.parse(readFileSync(join(dir, `${language}.json`), 'utf8')) as Catalogue)
}
