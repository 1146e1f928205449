// How the text of a setting becomes its value, and what is said where it cannot.

import type { PlatformPath } from 'node:path'

/** How the text of a setting becomes its value; `read` answers undefined for a text that is not allowed. */
export type Kind<Value> = {
  /** Completes the sentence "--port must be …". */
  readonly expects: string
  readonly read: (text: string, paths: PlatformPath) => Value | undefined
  /** Whether a wrong text is not repeated, because it may hold a secret. */
  readonly isQuiet?: true
  /** How it is shown, where it may hold what signs in to somewhere; as it is unless said otherwise. */
  readonly shown?: (text: string) => string
  /** Where only some texts are allowed. */
  readonly choices?: readonly string[]
  /** A switch stands alone on the command line; everything else takes a value. */
  readonly isSwitch?: true
}

export const file: Kind<string> = {
  expects: 'a path',
  read: (text, paths) => (text === '' ? undefined : paths.resolve(text)),
}

export const anyText: Kind<string> = { expects: 'a text', read: (text) => text }

export const webAddress: Kind<string> = {
  expects: 'an address that begins with http:// or https://',
  read: (text) => (/^https?:/i.test(text) && URL.canParse(text) ? text : undefined),
  shown: (text) => text.replace(/^(https?:\/*)[^/?#]*@/i, '$1••••••@'),
}

export const trueOrFalse: Kind<boolean> = {
  expects: 'true or false',
  choices: ['true', 'false'],
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  isSwitch: true,
}

export const languageTag: Kind<string> = {
  expects: "'system' or the tag of a language, such as de",
  read: (text) => (text === 'system' || /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/.test(text) ? text : undefined),
}

export function wholeNumber(least: number, most: number): Kind<number> {
  return {
    expects: `a whole number from ${least} to ${most}`,
    read: (text) => {
      const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : NaN
      return value >= least && value <= most ? value : undefined
    },
  }
}

export function postgresUrl(): Kind<string> {
  return {
    expects: 'an address such as postgres://farebox@host/farebox, without a password',
    isQuiet: true,
    read: (text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined
      const isOurs = url !== undefined && /^postgres(ql)?:$/.test(url.protocol)
      return isOurs && url.password === '' && !url.searchParams.has('password') ? text : undefined
    },
  }
}

export function oneOf<const Choice extends string>(choices: readonly Choice[]): Kind<Choice> {
  return {
    expects: choices.length === 1 ? `'${choices[0]}'` : `one of ${choices.join(', ')}`,
    choices,
    read: (text) => choices.find((choice) => choice === text),
  }
}
