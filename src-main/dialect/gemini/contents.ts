// The turns of a conversation as Gemini's contents: users and models alternate, a user begins, and the results of function
// calls stand right behind the calls, as many and in the same order.

import { append } from '#core/append.ts'
import { isRefusal, type Refusal } from '#core/refusal.ts'
import { audioPart, documentPart, imagePart, inlinePart } from '#dialect/gemini/media.ts'
import type { GeminiFacts } from '#dialect/gemini/model-facts.ts'
import { modelParts, signFirstCalls, type Content, type Dropped } from '#dialect/gemini/model-parts.ts'
import type { JsonObject, ToolResult, Turn, UserContent } from '#dialect/turn.ts'

export type Contents = {
  readonly contents: readonly Content[]
  /** The instructions before the first turn of anybody else. */
  readonly instructions: readonly JsonObject[]
}

/** Gemini refuses a conversation that the model begins, or that is empty. */
const FIRST_TEXT = ' '

export function writeContents(turns: readonly Turn[], facts: GeminiFacts, dropped: Dropped): Contents | Refusal {
  const contents: Content[] = []
  const instructions: JsonObject[] = []
  let names: ReadonlyMap<string, string> = new Map()
  for (const turn of turns) {
    switch (turn.role) {
      case 'system': {
        const texts = turn.content.filter(({ text }) => text !== '')
        if (contents.length === 0)
          append(
            instructions,
            texts.map(({ text }) => ({ text })),
          )
        else
          add(
            contents,
            'user',
            texts.map(({ text }) => ({ text: `<system>\n${text}\n</system>` })),
          )
        break
      }
      case 'user': {
        const parts = userParts(turn.content, facts, dropped)
        if (isRefusal(parts)) return parts
        add(contents, 'user', parts)
        break
      }
      case 'assistant':
        add(contents, 'model', modelParts(turn.content, dropped))
        names = new Map(turn.content.flatMap((part) => (part.type === 'tool-call' ? [[part.id, part.name]] : [])))
        break
      case 'tool': {
        const parts = resultParts(turn.results, { names, facts, dropped })
        if (isRefusal(parts)) return parts
        add(contents, 'user', parts)
      }
    }
  }
  if (facts.isGemma) putFirst(contents, instructions.splice(0))
  if (contents[0]?.role !== 'user') contents.unshift({ role: 'user', parts: [{ text: FIRST_TEXT }] })
  if (facts.needsSignatures) signFirstCalls(contents)
  return { contents, instructions }
}

/** Adds parts to the last content where that is of the same role. */
function add(contents: Content[], role: Content['role'], parts: readonly JsonObject[]): void {
  if (parts.length === 0) return
  const last = contents.at(-1)
  if (last?.role !== role) contents.push({ role, parts: [...parts] })
  else for (const part of parts) last.parts.push(part)
}

/** Instructions for a model that takes none: the first words of the user. */
function putFirst(contents: Content[], parts: readonly JsonObject[]): void {
  if (parts.length === 0) return
  const [first] = contents
  if (first?.role === 'user') contents[0] = { role: 'user', parts: [...parts, ...first.parts] }
  else contents.unshift({ role: 'user', parts: [...parts] })
}

function userParts(content: readonly UserContent[], facts: GeminiFacts, dropped: Dropped): JsonObject[] | Refusal {
  const parts: JsonObject[] = []
  for (const one of content) {
    const part = userPart(one, facts, dropped)
    if (isRefusal(part)) return part
    if (part['text'] !== '') parts.push(part)
  }
  return parts
}

function userPart(content: UserContent, facts: GeminiFacts, dropped: Dropped): JsonObject | Refusal {
  if ('cacheMark' in content && content.cacheMark !== undefined) dropped.add('cache_control')
  switch (content.type) {
    case 'text':
      return { text: content.text }
    case 'image':
      if (content.detail === 'low' || content.detail === 'high') dropped.add('image detail')
      return imagePart(content, facts)
    case 'document':
      return documentPart(content, facts)
    case 'audio':
      return audioPart(content)
  }
}

type ResultContext = {
  readonly names: ReadonlyMap<string, string>
  readonly facts: GeminiFacts
  readonly dropped: Dropped
}

/** The responses of one turn, and behind them the media that could not stand inside of them. */
function resultParts(results: readonly ToolResult[], context: ResultContext): JsonObject[] | Refusal {
  const responses: JsonObject[] = []
  const media: JsonObject[] = []
  for (const result of results) {
    const name = context.names.get(result.callId) ?? 'unknown'
    if (result.cacheMark !== undefined) context.dropped.add('cache_control')
    const split = splitResult(result, name, context)
    if (isRefusal(split)) return split
    const { text, inside, behind } = split
    const response = result.isError ? { error: text } : { result: text }
    const parts = inside.length === 0 ? {} : { parts: inside }
    responses.push({ functionResponse: { id: result.callId, name, response, ...parts } })
    if (behind.length > 0) append(media, [{ text: `[media of the result of ${name}]` }, ...behind])
  }
  return [...responses, ...media]
}

type SplitResult = { readonly text: string; readonly inside: JsonObject[]; readonly behind: JsonObject[] }

function splitResult({ content }: ToolResult, name: string, { facts, dropped }: ResultContext): SplitResult | Refusal {
  const texts: string[] = []
  const inside: JsonObject[] = []
  const behind: JsonObject[] = []
  for (const one of content) {
    const part = userPart(one, facts, dropped)
    if (isRefusal(part)) return part
    const text = part['text']
    if (typeof text === 'string') texts.push(text)
    // Only bytes may stand inside; what is fetched from a URL stands behind.
    else if (facts.hasResponseMedia && one.type !== 'text' && one.source.type === 'base64')
      inside.push(inlinePart(one.source))
    else behind.push(part)
  }
  if (texts.length === 0 && behind.length > 0) texts.push(`[see the media of the result of ${name} below]`)
  return { text: texts.join('\n'), inside, behind }
}
