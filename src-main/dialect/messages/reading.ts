// What the readers of one request share: the first thing that is wrong with it, and what the hub has no place for.

import { refuse, type Refusal } from '#core/refusal.ts'
import type { CacheMark, JsonObject } from '#dialect/turn.ts'
import { isRecord } from '#dialect/request-body.ts'

export class Reading {
  /** The first problem; readers go on after it, but nothing that they read is used. */
  refusal: Refusal | undefined
  readonly #dropped = new Set<string>()

  get dropped(): readonly string[] {
    return [...this.#dropped]
  }

  /** Notes that a member is wrong. `says` goes on after its path: `must be a string`. */
  refuse(path: string, says: string): undefined {
    this.refusal ??= refuse('invalid_request', `'${path}' ${says}.`, { param: path })
  }

  drop(name: string): void {
    this.#dropped.add(name)
  }

  /** Names members that are given and not in the list. `false` is what a member says that is not used. */
  dropOthers(value: JsonObject, prefix: string, known: ReadonlySet<string>): void {
    for (const [name, member] of Object.entries(value)) {
      if (!known.has(name) && member !== null && member !== undefined && member !== false) this.drop(prefix + name)
    }
  }

  /** A member that must be a string. */
  text(value: JsonObject, name: string, path: string): string | undefined {
    const text = value[name]
    return typeof text === 'string' ? text : this.refuse(`${path}.${name}`, 'must be a string')
  }

  /** A member that must be a string with something in it. */
  name(value: JsonObject, name: string, path: string): string | undefined {
    const text = value[name]
    return typeof text === 'string' && text !== '' ? text : this.refuse(`${path}.${name}`, 'must be a non-empty string')
  }

  /** A member that may be left out or null, and is a number otherwise. */
  optionalNumber(value: JsonObject, name: string, path: string): number | undefined {
    const number = value[name]
    if (number === undefined || number === null) return undefined
    return typeof number === 'number' ? number : this.refuse(path, 'must be a number')
  }
}

export function readMark(block: JsonObject): CacheMark | undefined {
  const control = block['cache_control']
  if (!isRecord(control)) return undefined
  const ttl = control['ttl']
  return { ttl: typeof ttl === 'string' ? ttl : undefined }
}
