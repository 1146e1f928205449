// Tools between what a client calls them and what a provider accepts. Every provider is given functions whose names fit its
// rule; a tool call in the answer gets the client's name, namespace and kind back.

import { AnswerCallIds } from '#dialect/answer-call-ids.ts'
import type { AnswerPart, Block } from '#dialect/part.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import type { Conversation, JsonObject, Tool, ToolCall, ToolChoice, ToolKind } from '#dialect/turn.ts'

type Names = { readonly name: string; readonly namespace?: string | undefined }
type KnownTool = Names & { readonly kind: ToolKind }

/** What the client calls its tools, by the names that the provider is given. */
export type KnownTools = ReadonlyMap<string, KnownTool>

/** A name that OpenAI, Anthropic and Gemini all take; only Gemini asks for a letter or an underscore in front. */
const PLAIN_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]*$/
const MAX_NAME_LENGTH = 64
const HASH_LENGTH = 8
const HASH_BASE = 16
/** Between a namespace and a name. */
const JOINT = '__'

/** What a custom tool is given to a provider as. */
export const CUSTOM_INPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
}

/** The arguments of a custom tool's call, as JSON text. */
export function customArguments(input: string): string {
  return JSON.stringify({ input })
}

/** The free text in a custom tool's arguments. Models forget the name of the member, or the JSON around the text. */
export function customInput(argumentsText: string): string {
  const value = parseJson(argumentsText)
  if (typeof value === 'string') return value
  if (!isRecord(value)) return argumentsText
  const named = value['input'] ?? value['patch'] ?? value['content']
  if (typeof named === 'string') return named
  const texts = Object.values(value).filter((member) => typeof member === 'string')
  return texts.length === 1 ? (texts[0] ?? '') : argumentsText
}

/** The names of one request's tools, both ways. */
export class ToolNames {
  readonly #toWire = new Map<string, string>()
  readonly #taken = new Set<string>()
  #collisions = 0
  readonly #fromWire = new Map<string, KnownTool>()

  constructor(tools: readonly Tool[]) {
    const own = new Map<string, Tool>()
    // Of tools with the same name the first counts, which is also the one that the provider is given.
    for (const tool of tools) {
      const wireName = this.wire(tool)
      if (!own.has(wireName)) own.set(wireName, tool)
    }
    for (const [wireName, tool] of own) this.#fromWire.set(wireName, tool)
  }

  /** The name for the provider. The same name always gives the same one; two different names never do. */
  wire(tool: Names): string {
    const { name, namespace } = tool
    const key = JSON.stringify([namespace ?? null, name])
    const known = this.#toWire.get(key)
    if (known !== undefined) return known
    const full = namespace === undefined || namespace === '' ? name : `${namespace}${JOINT}${name}`
    const wireName = this.#freeName(full, key)
    this.#toWire.set(key, wireName)
    this.#taken.add(wireName)
    // Names that only the history knows may be called again; they go back as they came.
    this.#fromWire.set(wireName, { name, namespace, kind: 'function' })
    return wireName
  }

  get table(): KnownTools {
    return this.#fromWire
  }

  /** The client's tool for a provider's name; a function of that name where the client never gave one. */
  known(wireName: string): KnownTool {
    return toolIn(this.#fromWire, wireName)
  }

  #freeName(full: string, key: string): string {
    const isPlain = PLAIN_NAME.test(full) && full.length <= MAX_NAME_LENGTH
    let name = isPlain ? full : shorten(full, hash(key))
    if (this.#taken.has(name)) name = shorten(full, hash(key))
    // The count only grows, so that a client that guesses names can waste no more than one step for each.
    while (this.#taken.has(name)) name = shorten(full, (this.#collisions++).toString(HASH_BASE))
    return name
  }
}

function toolIn(tools: KnownTools, wireName: string): KnownTool {
  return tools.get(wireName) ?? { name: wireName, kind: 'function' }
}

/** The conversation with every tool's name as the provider gets it; namespaces are part of the names then. */
export function withWireNames(conversation: Conversation, names: ToolNames): Conversation {
  const call = (part: ToolCall): ToolCall => ({ ...part, name: names.wire(part), namespace: undefined })
  const { toolChoice } = conversation
  const tools = new Map<string, Tool>()
  for (const tool of conversation.tools) {
    const name = names.wire(tool)
    // Most providers refuse a name that two tools have; the first is the one that answers are given back as.
    if (!tools.has(name)) tools.set(name, { ...tool, name, namespace: undefined })
  }
  const hasDoubles = tools.size < conversation.tools.length
  return {
    ...conversation,
    tools: [...tools.values()],
    dropped: hasDoubles ? [...conversation.dropped, 'tools of the same name'] : conversation.dropped,
    toolChoice: toolChoice?.type === 'tool' ? { type: 'tool', name: names.wire(toolChoice) } : toolChoice,
    turns: conversation.turns.map((turn) =>
      turn.role !== 'assistant'
        ? turn
        : { ...turn, content: turn.content.map((part) => (part.type === 'tool-call' ? call(part) : part)) },
    ),
  }
}

/** A tool choice that makes sense beside the tools that are there: none where there are no tools. */
export function effectiveToolChoice(conversation: Conversation): ToolChoice | undefined {
  return conversation.tools.length === 0 ? undefined : conversation.toolChoice
}

export type RestorerOptions = {
  readonly showsReasoning: boolean
  readonly keepsSeals?: boolean
  /** Those of the exchange; without it ids are new within the answer alone. */
  readonly callIds?: AnswerCallIds
}

/**
 * Puts the client's tools back into an answer, gives its calls ids that are new to the client, and takes out the text of reasoning
 * that the client does not want to see.
 */
export class AnswerRestorer {
  readonly #tools: KnownTools
  readonly #callIds: AnswerCallIds
  readonly #showsReasoning: boolean
  readonly #keepsSeals: boolean
  readonly #open = new Map<number, { readonly block: Block; text: string }>()

  constructor({ table }: Pick<ToolNames, 'table'>, options: RestorerOptions) {
    this.#tools = table
    this.#callIds = options.callIds ?? new AnswerCallIds('', [])
    this.#showsReasoning = options.showsReasoning
    this.#keepsSeals = options.keepsSeals === true
  }

  /** An id for a call to which the provider gave none. */
  newCallId(): string {
    return this.#callIds.fresh()
  }

  restore(part: AnswerPart): readonly AnswerPart[] {
    switch (part.type) {
      case 'open':
        return this.#restoreOpen(part.choice, part.block)
      case 'delta': {
        const open = this.#open.get(part.choice)
        if (open === undefined) return [part]
        open.text += part.text
        return []
      }
      case 'close':
        return this.#restoreClose(part)
      default:
        return [part]
    }
  }

  #restoreOpen(choice: number, block: Block): readonly AnswerPart[] {
    if (block.type === 'reasoning' && !this.#showsReasoning) {
      this.#open.set(choice, { block, text: '' })
      return []
    }
    if (block.type !== 'tool-call') return [{ type: 'open', choice, block }]
    const { name, namespace, kind } = toolIn(this.#tools, block.name)
    const own: Block = { ...block, id: this.#callIds.of(block.id), name, namespace, kind }
    // A custom tool's text can be taken out of its JSON only when that is complete.
    if (kind === 'custom') this.#open.set(choice, { block: own, text: '' })
    return [{ type: 'open', choice, block: own }]
  }

  #restoreClose(part: Extract<AnswerPart, { type: 'close' }>): readonly AnswerPart[] {
    const open = this.#open.get(part.choice)
    if (open === undefined) return [part]
    this.#open.delete(part.choice)
    if (open.block.type === 'reasoning') {
      const isKept = this.#keepsSeals && part.sealed !== undefined
      return isKept ? [{ type: 'open', choice: part.choice, block: open.block }, part] : []
    }
    const text = customInput(open.text)
    return text === '' ? [part] : [{ type: 'delta', choice: part.choice, text }, part]
  }
}

/** As much of the name as fits, with a mark that tells it from others that begin alike. */
function shorten(full: string, mark: string): string {
  const clean = full.replaceAll(/[^a-zA-Z0-9_-]/g, '_').replace(/^[^a-zA-Z_]/, '_$&')
  return `${clean.slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1)}_${mark}`
}

/** FNV-1a over the text's code units: names need to differ, not to be secret. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return (value >>> 0).toString(HASH_BASE).padStart(HASH_LENGTH, '0')
}
