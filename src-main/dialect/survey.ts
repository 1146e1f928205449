// What a survey of a request's input collects: images, and what makes the input larger than the request. The rules by which it
// looks at members stand in input-survey.ts.

import { imageSize } from '#dialect/image-size.ts'
import { mostImageTokens } from '#dialect/image-tokens.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What one member comes to; `object` is where it stands. */
export type Rule = (survey: Survey, value: unknown, object: JsonObject) => void
/** By the name of the member. */
export type Rules = ReadonlyMap<string, Rule>

/** An image shorter than this is counted as text too: taking it out is not worth the looking. */
const SHORTEST_IMAGE = 512
/** Those who read them learn no more from more references. */
const MAX_REFERENCES = 8
/** No name that anybody documents is longer. */
const MAX_NAME_LENGTH = 40
/** `1e20` is written as 21 digits, `1e-6` as eight characters, and nothing as more than this. */
const LONGEST_NUMBER = 24

export class Survey {
  /** What makes the input larger than the request, in words; empty where the request is all that the model reads. */
  readonly references: string[] = []
  /** Base64 of images, which is not counted as text; in the order of the request. */
  readonly images: string[] = []
  imageTokens = 0
  /** Of the same images, where gpt-4o-mini counts them. */
  miniImageTokens = 0
  /** Tools that the model is told of. */
  toolCount = 0
  /** Characters that numbers can gain where a provider, or a translation, writes them anew. */
  addedDigits = 0

  get isOpen(): boolean {
    return this.references.length > 0
  }

  /** Looks at each member of an object by its rule. A member without one is a reference unless it is empty. */
  members(object: JsonObject, rules: Rules): void {
    for (const name in object) {
      const value = object[name]
      const rule = rules.get(name)
      if (rule !== undefined) rule(this, value, object)
      else if (!isNothing(value)) this.reference(`the member '${shown(name)}'`)
    }
  }

  /** JSON that is given to the model as text, whatever stands in it. */
  json(value: unknown): void {
    if (typeof value === 'number') {
      if (!isShort(value)) this.addedDigits += LONGEST_NUMBER
    } else if (Array.isArray(value)) {
      for (const item of value) this.json(item)
    } else if (isRecord(value)) {
      for (const name in value) this.json(value[name])
    }
  }

  /** Base64 of an image's file. */
  image(base64: string): void {
    if (base64.length >= SHORTEST_IMAGE) this.images.push(base64)
    const { most, mini } = mostImageTokens(imageSize(base64))
    this.imageTokens += most
    this.miniImageTokens += mini
  }

  /** `what` in words: "a file by its id". */
  reference(what: string): void {
    if (this.references.length < MAX_REFERENCES && !this.references.includes(what)) this.references.push(what)
  }
}

/** What a member says that is not used. */
export function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isRecord(value) && Object.keys(value).length === 0
}

/** A client's own word in a message for it; what is not a plain name is not repeated. */
export function shown(name: unknown): string {
  return typeof name === 'string' && name.length <= MAX_NAME_LENGTH && /^[\w.-]+$/.test(name) ? name : '?'
}

function isShort(value: number): boolean {
  const size = Math.abs(value)
  return size < 1e6 && (size >= 1e-3 || size === 0)
}
