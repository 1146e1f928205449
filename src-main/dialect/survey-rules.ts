// Rules by which surveys of a request's input look at members, whatever the format.

import { isRecord } from '#dialect/request-body.ts'
import { isNothing, type Rule, type Rules } from '#dialect/survey.ts'

/** A text, a number, a switch. Anything else in its place is not what the member is known for. */
export const scalar: Rule = (survey, value) => {
  if (typeof value === 'object' && !isNothing(value)) survey.reference('a member that holds more than a text')
}

export const json: Rule = (survey, value) => survey.json(value)

/** Definitions of functions. */
export const functions: Rule = (survey, value) => {
  if (Array.isArray(value)) survey.toolCount += value.length
  survey.json(value)
}

/** A member that is a reference whenever it is used. */
export function refersTo(what: string): Rule {
  return (survey, value) => {
    if (!isNothing(value)) survey.reference(what)
  }
}

/** A table of rules: single members, then lists of names that share a rule. */
export function rules(table: Readonly<Record<string, Rule>>, ...lists: readonly (readonly [Rule, string])[]): Rules {
  const listed = lists.flatMap(([rule, names]) => names.split(' ').map((name) => [name, rule] as const))
  return new Map([...listed, ...Object.entries(table)])
}

export function isImageType(mediaType: unknown): boolean {
  return typeof mediaType === 'string' && /^image\//i.test(mediaType)
}

/** Used by rules that look into the objects of a list. */
export function eachRecord(value: unknown, look: (object: Readonly<Record<string, unknown>>) => void): void {
  if (Array.isArray(value)) for (const item of value) if (isRecord(item)) look(item)
}
