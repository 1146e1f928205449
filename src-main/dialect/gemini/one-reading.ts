// Sees to it that a request has one reading. Google takes each member in two spellings, and the last where one stands twice; a member
// that is read here in one way and by the provider in another would be served and never be priced.

import { refuse, type Refusal } from '#core/refusal.ts'
import { camelOf } from '#dialect/gemini/fields.ts'
import { memberName, stringEnd } from '#dialect/json-text.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** The objects, and lists of them, in which Google knows the members; what stands anywhere else is somebody's own JSON. */
export type Shape = { readonly [name: string]: Shape }

const MEDIA: Shape = { inlineData: {}, fileData: {} }
const PART: Shape = {
  ...MEDIA,
  functionCall: {},
  functionResponse: { parts: MEDIA },
  executableCode: {},
  codeExecutionResult: {},
  toolCall: {},
  toolResponse: {},
}
export const CONTENT: Shape = { parts: PART }
const REQUEST: Shape = {
  contents: CONTENT,
  systemInstruction: CONTENT,
  generationConfig: { thinkingConfig: {} },
  tools: { functionDeclarations: {} },
}

/** `text` is valid JSON, and says what `value` is. */
type WrittenJson = { readonly text: string; readonly value: JsonObject }

/** Why a request could be read in two ways; undefined where it cannot. */
export function checkReading({ text, value }: WrittenJson, shape: Shape = REQUEST): Refusal | undefined {
  return new ReadingWalk(text).check(value, shape)
}

const QUOTE = 0x22
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c
const COLON = 0x3a

/** Walks through the text once, and beside it through what was read of it. */
class ReadingWalk {
  readonly #text: string
  #at = 0
  /** The members and indexes that lead to where the walk is. */
  readonly #trail: (string | number)[] = []

  constructor(text: string) {
    this.#text = text
  }

  /** Looks at the value that begins here, and goes behind it. */
  check(value: unknown, shape: Shape): Refusal | undefined {
    const code = this.#next()
    if (code === OPEN_BRACE && isRecord(value)) return this.#object(value, shape)
    if (code === OPEN_BRACKET && Array.isArray(value)) return this.#array(value, shape)
    this.#skip()
    return undefined
  }

  #array(values: readonly unknown[], shape: Shape): Refusal | undefined {
    this.#at += 1
    for (let index = 0; this.#next() !== CLOSE_BRACKET; index++) {
      this.#trail.push(index)
      const problem = this.check(values[index], shape)
      if (problem !== undefined) return problem
      this.#trail.pop()
      if (this.#next() === COMMA) this.#at += 1
    }
    this.#at += 1
    return undefined
  }

  #object(object: JsonObject, shape: Shape): Refusal | undefined {
    this.#at += 1
    const names = new MemberNames()
    while (this.#next() !== CLOSE_BRACE) {
      const end = stringEnd(this.#text, this.#at)
      const written = this.#text.slice(this.#at, end)
      this.#at = end
      if (this.#next() === COLON) this.#at += 1
      const problem = this.#member(written, { object, shape, names })
      if (problem !== undefined) return problem
      if (this.#next() === COMMA) this.#at += 1
    }
    this.#at += 1
    return undefined
  }

  /** `written` is the member's name as it stands in the text. */
  #member(written: string, { object, shape, names }: OpenObject): Refusal | undefined {
    const name = memberName(written) ?? ''
    const known = camelOf(name)
    const twice = names.add(name, known)
    if (twice !== undefined) return this.#refuse(twice, known)
    // V8 misreads some names that are escaped, see parseBody.
    if (written.includes('\\') && !Object.hasOwn(object, name)) {
      return refuse('invalid_request', 'The body has escapes in the names of its members. Write them without.')
    }
    const inner = Object.hasOwn(shape, known) ? shape[known] : undefined
    if (inner === undefined) {
      this.#skip()
      return undefined
    }
    this.#trail.push(known)
    const problem = this.check(object[name], inner)
    this.#trail.pop()
    return problem
  }

  #refuse(twice: Twice, name: string): Refusal {
    const param = pathOf([...this.#trail, name])
    if (twice === 'name') {
      return refuse('invalid_request', `The member '${param}' stands twice in the body.`, { param })
    }
    return refuse('invalid_request', `'${param}' stands in two spellings. Leave out one of them.`, { param })
  }

  /** What stands at the next place that is no space, or NaN behind the text. */
  #next(): number {
    let code = this.#text.charCodeAt(this.#at)
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      this.#at += 1
      code = this.#text.charCodeAt(this.#at)
    }
    return code
  }

  /** Goes behind the value that begins here. */
  #skip(): void {
    let depth = 0
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === QUOTE) {
        this.#at = stringEnd(this.#text, this.#at)
        if (depth === 0) return
        this.#at -= 1
      } else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        // A number or a word ends where what is around it ends.
        if (depth === 0) return
        depth -= 1
        if (depth > 0) continue
        this.#at += 1
        return
      } else if (depth === 0 && code === COMMA) return
    }
  }
}

type OpenObject = { readonly object: JsonObject; readonly shape: Shape; readonly names: MemberNames }
type Twice = 'name' | 'spelling'

/** The names of one object's members. Nearly all objects have a few, for which a set costs more than it saves. */
class MemberNames {
  readonly #few: string[] = []
  /** By the spelling in camelCase, the name that was written. */
  #many: Map<string, string> | undefined

  /** Takes a name, and says whether it was there, in this spelling or the other one. */
  add(name: string, camel: string): Twice | undefined {
    const known = this.#many === undefined ? this.#among(camel) : this.#many.get(camel)
    if (known !== undefined) return known === name ? 'name' : 'spelling'
    if (this.#many === undefined && this.#few.length < MAX_FEW) this.#few.push(name)
    else this.#all().set(camel, name)
    return undefined
  }

  #among(camel: string): string | undefined {
    return this.#few.find((name) => camelOf(name) === camel)
  }

  #all(): Map<string, string> {
    this.#many ??= new Map(this.#few.map((name) => [camelOf(name), name]))
    return this.#many
  }
}

const MAX_FEW = 8

function pathOf(trail: readonly (string | number)[]): string {
  return trail
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)
}
