// Members of a client's request. Google's JSON takes each in camelCase, and in snake_case as the protocol buffers have it.

import type { JsonObject } from '#dialect/turn.ts'

const snakes = new Map<string, string>()

/** The value of a member in either spelling; null counts as not given. `name` is in camelCase. */
export function field(object: JsonObject, name: string): unknown {
  return object[name] ?? object[snakeOf(name)] ?? undefined
}

/** The spelling in which a member is given; undefined where it is not there. */
export function spellingOf(object: JsonObject, name: string): string | undefined {
  return [name, snakeOf(name)].find((spelling) => Object.hasOwn(object, spelling))
}

/** A name in camelCase, in whichever of the spellings it is given. */
export function camelOf(name: string): string {
  if (!name.includes('_')) return name
  return name.replaceAll(/(?<=[^_])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** The names are few: those that this folder asks for. */
function snakeOf(name: string): string {
  const known = snakes.get(name)
  if (known !== undefined) return known
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  snakes.set(name, snake)
  return snake
}
