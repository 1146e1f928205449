// Values of the types in the vendors' own SDKs, made from their declarations: a test that goes over all kinds of output learns of a new one
// when an SDK is updated.

import { readFileSync } from 'node:fs'

type Declared = { readonly scope: string; readonly text: string; readonly base?: string | undefined }

/** A value of a type, and how many bytes of payload are in it. */
export type Made = { readonly value: unknown; readonly bytes: number }

const MAX_DEPTH = 6

export class VendorTypes {
  readonly #interfaces = new Map<string, Declared>()
  readonly #aliases = new Map<string, Declared>()
  readonly #isStructure: (name: string) => boolean
  readonly #payload: string

  /** Texts have the payload, but in members that are no output. */
  constructor(file: string, options: { readonly isStructure: (name: string) => boolean; readonly payload: string }) {
    this.#isStructure = options.isStructure
    this.#payload = options.payload
    const source = readFileSync(file, 'utf8')
    this.#declare(source.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, ''), '')
  }

  /** The names of the types of a union. */
  union(name: string): string[] {
    const alias = this.#aliases.get(name)
    if (alias === undefined) throw new Error(`no type ${name} is declared`)
    return splitAt(alias.text, '|')
  }

  /** The names of the members of an interface. */
  members(name: string): string[] {
    return this.#membersOf(this.#interface(name)).map((member) => member.name)
  }

  /** A value of an interface; of a member alone where one is named. */
  make(name: string, only?: string): Made {
    return this.#object(this.#interface(name), 0, only)
  }

  #interface(name: string): Declared {
    const found = this.#interfaces.get(name)
    if (found === undefined) throw new Error(`no interface ${name} is declared`)
    return found
  }

  #declare(source: string, scope: string): void {
    const heads = /\b(?:(namespace|interface|class|enum) (\w+)(?: extends (\w+))?[^{;=]*\{|type (\w+)(?:<[^>]*>)? = )/g
    for (let head = heads.exec(source); head !== null; head = heads.exec(source)) {
      const [, kind, name = '', base, alias] = head
      const end = alias === undefined ? closing(source, heads.lastIndex) : endOfType(source, heads.lastIndex)
      const text = source.slice(heads.lastIndex, end).trim()
      heads.lastIndex = end
      if (alias !== undefined) this.#aliases.set(scope + alias, { scope, text })
      else if (kind === 'namespace') this.#declare(text, `${scope}${name}.`)
      else if (kind !== 'enum') this.#interfaces.set(scope + name, { scope: `${scope}${name}.`, text, base })
    }
  }

  #membersOf({ text, base }: Declared): { readonly name: string; readonly type: string }[] {
    const inherited = base === undefined ? undefined : this.#interfaces.get(base)
    const own = splitAt(text, ';').flatMap((member) => {
      const [, name, type] = /^(?:readonly )?'?(\w+)'?\??: ([^]*)$/.exec(member) ?? []
      return name === undefined || type === undefined ? [] : [{ name, type }]
    })
    return inherited === undefined ? own : [...this.#membersOf(inherited), ...own]
  }

  #object(declared: Declared, depth: number, only?: string): Made {
    const value: Record<string, unknown> = {}
    let bytes = 0
    for (const { name, type } of this.#membersOf(declared)) {
      if (only !== undefined && name !== only) continue
      const made = this.#isStructure(name)
        ? { value: structureOf(type), bytes: 0 }
        : this.#value(type, declared.scope, depth + 1)
      if (made.value === undefined) continue
      value[name] = made.value
      bytes += made.bytes
    }
    return { value, bytes }
  }

  #value(type: string, scope: string, depth: number): Made {
    const variants = splitAt(type.trim(), '|').filter((variant) => variant !== 'null' && variant !== 'undefined')
    const nothing: Made = { value: undefined, bytes: 0 }
    if (depth > MAX_DEPTH) return nothing
    // Of a union the one that holds most: others are errors, or nothing but a word.
    return variants.map((variant) => this.#variant(variant, scope, depth)).reduce(largest, nothing)
  }

  #variant(variant: string, scope: string, depth: number): Made {
    if (variant === 'string') return { value: this.#payload, bytes: this.#payload.length }
    if (variant.startsWith("'")) return { value: variant.slice(1, -1), bytes: 0 }
    if (variant === 'number') return { value: 1, bytes: 0 }
    if (/^(?:boolean|true|false)$/.test(variant)) return { value: true, bytes: 0 }
    const item = /^(?:Array<([^]*)>|([^]*)\[\])$/.exec(variant)
    if (item !== null) {
      const made = this.#value(item[1] ?? item[2] ?? '', scope, depth + 1)
      return made.value === undefined ? made : { value: [made.value], bytes: made.bytes }
    }
    if (variant === 'unknown' || /^(?:\{\s*\[|Record<|object$)/.test(variant)) {
      return { value: { anything: this.#payload }, bytes: this.#payload.length }
    }
    if (variant.startsWith('{')) return this.#object({ scope, text: variant.slice(1, -1) }, depth)
    return this.#named(variant, scope, depth)
  }

  /** A type by its name, from the innermost scope outwards. One that is declared elsewhere has no payload. */
  #named(name: string, scope: string, depth: number): Made {
    for (let around = scope; ; around = around.replace(/\w+\.$/, '')) {
      const found = this.#interfaces.get(around + name)
      if (found !== undefined) return this.#object(found, depth)
      const alias = this.#aliases.get(around + name)
      if (alias !== undefined) return this.#value(alias.text, alias.scope, depth + 1)
      if (around !== '') continue
      // Of another module's types those are found that this one has as well.
      const [, own] = /^\w+\.(\w+)$/.exec(name) ?? []
      return own === undefined ? { value: undefined, bytes: 0 } : this.#named(own, '', depth)
    }
  }
}

function largest(one: Made, other: Made): Made {
  return one.value === undefined || other.bytes > one.bytes ? other : one
}

/** A member that is no output: its literal, or a short value of its type. */
function structureOf(type: string): unknown {
  const [first = ''] = splitAt(type.trim(), '|')
  if (first.startsWith("'")) return first.slice(1, -1)
  if (first === 'number') return 0
  return first === 'string' ? '$.x' : undefined
}

const OPENING = '{[(<'
const CLOSING = '}])>'

/** The parts of a text between separators that are in no brackets. */
function splitAt(text: string, separator: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at <= text.length; at++) {
    const character = text[at] ?? separator
    if (OPENING.includes(character)) depth += 1
    else if (CLOSING.includes(character) && text[at - 1] !== '=') depth -= 1
    else if (character === separator && depth === 0) {
      const part = text.slice(from, at).trim()
      if (part !== '') parts.push(part)
      from = at + 1
    }
  }
  return parts
}

function closing(text: string, from: number): number {
  let depth = 1
  let at = from
  for (; depth > 0 && at < text.length; at++) depth += text[at] === '{' ? 1 : text[at] === '}' ? -1 : 0
  return at - 1
}

function endOfType(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? ''
    if (OPENING.includes(character)) depth += 1
    else if (CLOSING.includes(character) && text[at - 1] !== '=') depth -= 1
    else if (character === ';' && depth === 0) return at
  }
  return text.length
}
