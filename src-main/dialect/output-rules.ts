// Rules by which output is counted where its provider does not: what each member of an answer is, whatever the format. A member without
// a rule counts by its bytes, because what is unknown must never be free. Values are neither copied nor serialized for it.

import { addedMedia, otherOutput, soundOutput, type MediaTokens, type OtherOutput } from '#dialect/other-output.ts'
import { isRecord } from '#dialect/request-body.ts'
import { isNothing } from '#dialect/survey.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Takes the output of an answer. */
export interface OutputSink {
  /** The format in which the request asked for sound; undefined where it names none. */
  readonly audioFormat: string | undefined
  /** How its texts are read. */
  readonly encoding: 'latin1' | 'utf8'
  add(text: string): void
  addOther(output: OtherOutput): void
  /** Output in a form that no rule knows, by its bytes. */
  addValue(value: unknown): void
}

/** What is no text of an output, without adding it to that. */
export class SizeOf implements OutputSink, OtherOutput {
  readonly audioFormat: string | undefined
  readonly encoding: 'latin1' | 'utf8'
  bytes = 0
  media: MediaTokens | undefined

  constructor({ audioFormat, encoding }: OutputSink) {
    this.audioFormat = audioFormat
    this.encoding = encoding
  }

  add(): void {}

  addOther({ bytes, media }: OtherOutput): void {
    this.bytes += bytes
    this.media = addedMedia(this.media, media)
  }

  addValue(value: unknown): void {
    this.addOther(otherOutput(value, this.encoding))
  }
}

/** How a member of an answer counts; `object` is where it stands. */
export type OutputRule = (sink: OutputSink, value: unknown, object: JsonObject) => void
export type OutputRules = ReadonlyMap<string, OutputRule>

export const text: OutputRule = (sink, value) => {
  if (typeof value === 'string') sink.add(value)
  else sink.addValue(value)
}

/** What a model did not generate: ids, indexes, types, reasons, counts, padding. */
const structure: OutputRule = () => undefined

/** A table of rules: single members, and names of structure. */
export function outputRules(table: Readonly<Record<string, OutputRule>>, structural: string): OutputRules {
  return new Map([...structural.split(' ').map((name) => [name, structure] as const), ...Object.entries(table)])
}

/** Counts each member of an object by its rule, and one without a rule by its bytes. */
export function addMembers(sink: OutputSink, object: JsonObject, rules: OutputRules): void {
  for (const name in object) {
    const value = object[name]
    if (value === null || value === '') continue
    const rule = rules.get(name)
    if (rule !== undefined) rule(sink, value, object)
    else if (!isNothing(value)) sink.addValue(value)
  }
}

/** Counts the members of an object by its own rules. */
export function within(rules: OutputRules): OutputRule {
  return (sink, value) => {
    if (isRecord(value)) addMembers(sink, value, rules)
    else sink.addValue(value)
  }
}

/** Counts each object of a list by the same rules. */
export function eachMember(rules: OutputRules): OutputRule {
  return (sink, value) => {
    if (!Array.isArray(value)) return sink.addValue(value)
    for (const item of value) {
      if (isRecord(item)) addMembers(sink, item, rules)
      else sink.addValue(item)
    }
  }
}

/** Sound, in the format that it is known to have. */
export function addSound(sink: OutputSink, data: unknown, format: unknown): void {
  const sound = typeof data === 'string' && typeof format === 'string' ? soundOutput(data, format) : undefined
  if (sound === undefined) sink.addValue(data)
  else sink.addOther(sound)
}

/** More than any provider adds. */
const MAX_ASIDES = 64
const MAX_COMPARED = 64 * 1024

/**
 * Members that stand beside what a model generates, where providers put data of their own and repeat it with each event: one that no
 * table names counts when it says something new.
 */
export class AsideMembers {
  readonly #sink: OutputSink
  readonly #last = new Map<string, string>()

  constructor(sink: OutputSink) {
    this.#sink = sink
  }

  note(object: JsonObject, known: ReadonlySet<string>, place = ''): void {
    for (const name in object) {
      if (known.has(name)) continue
      const value = object[name]
      if (isNothing(value) || this.#isRepeated(place + name, value)) continue
      this.#sink.addValue(value)
    }
  }

  #isRepeated(name: string, value: unknown): boolean {
    const said = typeof value === 'string' ? value : jsonOf(value)
    if (said === undefined || said.length > MAX_COMPARED) return false
    if (this.#last.get(name) === said) return true
    if (this.#last.size < MAX_ASIDES || this.#last.has(name)) this.#last.set(name, said)
    return false
  }
}

/** undefined for what is nested too deeply to be written. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
