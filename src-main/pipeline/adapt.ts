// Adapts translated requests to what a target takes. A provider that refuses an optional member is asked again without it, and
// from then on that member is left out for this target. Requests that are passed on as they came are never touched: what was
// refused there is for the client to see.

import type { Target } from '#core/entities.ts'
import { targetKey } from '#core/target-key.ts'
import { scanObject, editObject, removeMember } from '#dialect/json-text.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { otherName, unsupportedMembers } from '#dialect/unsupported.ts'

/** No target has more; a provider that goes on refusing would be asked for ever. */
const MAX_MEMBERS = 24

export class Adaptations {
  readonly #byTarget = new Map<string, Set<string>>()

  /** A body without the members that its target does not take, nor those in `more`, and the names of what it lost. */
  apply(target: Target, body: string, more: ReadonlySet<string>): Adapted {
    return adapted(body, this.untaken(target, more))
  }

  /** The members that a target does not take, and those in `more`. */
  untaken(target: Target, more: ReadonlySet<string>): ReadonlySet<string> {
    return new Set([...this.#of(target), ...more])
  }

  /**
   * The members of a body that were the reason for its refusal, so that it makes sense to ask again without them. Members that
   * the target never takes are remembered; those of which it refused a value are not, since other clients send other values. In place
   * of a body that was written elsewhere stand the members that can be left out of it.
   */
  learn(target: Target, refusal: Buffer, body: string | ReadonlySet<string>): readonly string[] {
    const { members, values } = unsupportedMembers(parseJson(refusal.toString('utf8')))
    const remembered = new Set(this.#of(target))
    for (const name of members) if (remembered.size < MAX_MEMBERS && holds(body, name)) remembered.add(name)
    if (remembered.size > 0) this.#byTarget.set(targetKey(target), remembered)
    return [...members, ...values].filter((name) => holds(body, name))
  }

  /** Forgets what a target does not take, because from now on it is another one behind the same name. */
  forget(target: Target): void {
    this.#byTarget.delete(targetKey(target))
  }

  /** The members that are left out for a target, or sent under their other name. */
  #of(target: Target): ReadonlySet<string> {
    return this.#byTarget.get(targetKey(target)) ?? NONE
  }
}

/** A body without some members, and the names of what it lost. */
export function adapted(body: string, untaken: ReadonlySet<string>): Adapted {
  const leftOut: string[] = []
  let text = body
  for (const name of untaken) {
    const changed = without(text, name)
    if (changed !== text && otherName(name) === undefined) leftOut.push(name)
    text = changed
  }
  return { body: text, leftOut }
}

/** The members of a body that can be left out, or a part of them. */
export function removableMembers(body: string): ReadonlySet<string> {
  const scan = scanObject(body)
  if ('problem' in scan) return NONE
  return new Set([...scan.members.keys()].filter((name) => name !== PARTLY_KEPT || without(body, name) !== body))
}

export type Adapted = { readonly body: string; readonly leftOut: readonly string[] }

const NONE: ReadonlySet<string> = new Set()

/** A body without a member, or with it under its other name, or with as much of it as decides what the answer is. */
function without(body: string, name: string): string {
  const scan = scanObject(body)
  const where = 'problem' in scan ? undefined : scan.members.get(name)
  if ('problem' in scan || where === undefined) return body
  const kept = keptOf(name, parseJson(body.slice(where.start, where.end)))
  if (kept !== undefined) return editObject(body, scan, new Map([[name, JSON.stringify(kept)]]))
  const rest = removeMember(body, scan, name)
  const other = otherName(name)
  const scanned = scanObject(rest)
  if (other === undefined || 'problem' in scanned) return rest
  return editObject(rest, scanned, new Map([[other, body.slice(where.start, where.end)]]))
}

/** The member of which a part is never left out. */
const PARTLY_KEPT = 'output_config'

/** What of a member is never left out: the schema that the answer must follow, which has other wishes beside it. */
function keptOf(name: string, value: unknown): object | undefined {
  if (name !== PARTLY_KEPT || !isRecord(value) || value['format'] === undefined) return undefined
  return { format: value['format'] }
}

/** Whether a body has a member, or a part of it, that can be left out. */
function holds(body: string | ReadonlySet<string>, name: string): boolean {
  return typeof body === 'string' ? without(body, name) !== body : body.has(name)
}
