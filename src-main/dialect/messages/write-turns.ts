// Writes the turns of a conversation as messages that take turns between user and assistant, in the order that Anthropic
// wants: the user first, and results of tools before anything else of the user.

import { append } from '#core/append.ts'
import { CallIds, plainIds } from '#dialect/call-ids.ts'
import type { WireBlock } from '#dialect/messages/cache-marks.ts'
import { readInput } from '#dialect/tool-input.ts'
import { isBlank, writeContent, type Writing } from '#dialect/messages/write-blocks.ts'
import type { AssistantContent, TextContent, ToolResult, Turn } from '#dialect/turn.ts'

export type WireMessage = { readonly role: 'user' | 'assistant' | 'system'; content: WireBlock[] }

/** What is said for a user who said nothing where somebody has to speak. */
const PLACEHOLDER = [{ type: 'text', text: '.' }]
const CONTINUE = 'Continue.'
export const MAX_ID_LENGTH = 64

type Options = {
  /** The provider takes instructions in the middle. */
  readonly keepsSystem: boolean
  /** The provider refuses thinking that it did not sign. */
  readonly checksThinking: boolean
}

/** The messages of the turns behind the leading instructions. */
export function writeTurns(turns: readonly Turn[], options: Options, writing: Writing): WireMessage[] {
  const ids = new CallIds(plainIds(MAX_ID_LENGTH))
  const messages: WireMessage[] = []
  for (const turn of turns) {
    switch (turn.role) {
      case 'system':
        addSystem(messages, turn.content, options.keepsSystem, writing)
        break
      case 'user':
        addUser(messages, writeContent(turn.content, writing))
        break
      case 'assistant':
        add(messages, 'assistant', writeAssistant(turn.content, { ids, options, writing }))
        break
      case 'tool':
        addResults(
          messages,
          turn.results.flatMap((result) => writeResult(result, ids, writing)),
        )
    }
  }
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: [...PLACEHOLDER] })
  trimEnd(messages)
  return messages
}

/** Lets a user speak last, for models that do not go on with a begun answer. */
export function endWithUser(messages: WireMessage[]): void {
  if (messages.at(-1)?.role === 'assistant')
    messages.push({ role: 'user', content: [{ type: 'text', text: CONTINUE }] })
}

function addSystem(
  messages: WireMessage[],
  content: readonly TextContent[],
  keepsSystem: boolean,
  writing: Writing,
): void {
  if (keepsSystem) {
    add(messages, 'system', writeContent(content, writing))
    return
  }
  const marked = content
    .filter((part) => !isBlank(part.text))
    .map((part) => ({ ...part, text: `<system-reminder>\n${part.text}\n</system-reminder>` }))
  add(messages, 'user', writeContent(marked, writing))
}

type Assistant = { readonly ids: CallIds; readonly options: Options; readonly writing: Writing }

function writeAssistant(content: readonly AssistantContent[], { ids, options, writing }: Assistant): WireBlock[] {
  return callsLast(content).flatMap((part): WireBlock[] => {
    switch (part.type) {
      case 'text':
        return writeContent([part], writing)
      case 'refusal':
        return isBlank(part.text) ? [] : [{ type: 'text', text: part.text }]
      case 'reasoning': {
        const { sealed, text } = part
        if (sealed?.origin === 'messages') return [{ type: 'thinking', thinking: text, signature: sealed.value }]
        if (sealed?.origin === 'messages-redacted') return [{ type: 'redacted_thinking', data: sealed.value }]
        if (!options.checksThinking && !isBlank(text)) return [{ type: 'thinking', thinking: text, signature: '' }]
        writing.drop('earlier reasoning')
        return []
      }
      case 'tool-call': {
        if (part.sealed !== undefined) writing.drop('thinking signature')
        // What is no object is told as it was written.
        const input = readInput(part.arguments) ?? { _raw: part.arguments }
        const block = { type: 'tool_use', id: ids.call(part.id), name: part.name, input }
        writing.marks.add('messages', block, part.cacheMark)
        return [block]
      }
    }
  })
}

/** The results of calls must follow them at once: what a client put between goes in front. */
function callsLast(content: readonly AssistantContent[]): readonly AssistantContent[] {
  const calls = content.filter((part) => part.type === 'tool-call')
  return calls.length === 0 ? content : [...content.filter((part) => part.type !== 'tool-call'), ...calls]
}

function writeResult(result: ToolResult, ids: CallIds, writing: Writing): WireBlock[] {
  const content = writeContent(result.content, writing)
  const id = ids.result(result.callId)
  if (id === undefined) return [{ type: 'text', text: `[result of tool call ${result.callId}]` }, ...content]
  const [only] = content
  const isPlain = content.length === 1 && only?.['type'] === 'text' && result.content.every((part) => !part.cacheMark)
  const block = {
    type: 'tool_result',
    tool_use_id: id,
    content: isPlain ? only?.['text'] : content,
    ...(result.isError ? { is_error: true } : {}),
  }
  writing.marks.add('messages', block, result.cacheMark)
  return [block]
}

/** Adds to the last message where it is of the same role. */
function add(messages: WireMessage[], role: WireMessage['role'], content: WireBlock[]): void {
  if (content.length === 0) return
  const last = messages.at(-1)
  if (last?.role === role) append(last.content, content)
  else messages.push({ role, content })
}

function addResults(messages: WireMessage[], content: WireBlock[]): void {
  add(messages, 'user', content)
  const last = messages.at(-1)
  if (last?.role !== 'user') return
  const isResult = (block: WireBlock) => block['type'] === 'tool_result'
  last.content = [...last.content.filter(isResult), ...last.content.filter((block) => !isResult(block))]
}

/** A user's turn stays one where nothing is left of it: the turns around it must not run together. */
function addUser(messages: WireMessage[], content: WireBlock[]): void {
  const isNeeded = content.length === 0 && messages.at(-1)?.role !== 'user'
  add(messages, 'user', isNeeded ? [...PLACEHOLDER] : content)
}

/** An answer that is to be continued must not end in white space. */
function trimEnd(messages: readonly WireMessage[]): void {
  const last = messages.at(-1)
  const block = last?.role === 'assistant' ? last.content.at(-1) : undefined
  if (block !== undefined && typeof block['text'] === 'string') block['text'] = block['text'].trimEnd()
}
