// Turns as the input items of the responses format.

import type { Quirks } from '#core/quirks.ts'
import type {
  AssistantContent,
  DocumentContent,
  ImageContent,
  JsonObject,
  MediaSource,
  TextContent,
  ToolResult,
  Turn,
  UserContent,
} from '#dialect/turn.ts'

export type WrittenInput = { readonly instructions: string | undefined; readonly input: readonly JsonObject[] }

/** OpenAI's bound; ids of other providers may be longer. */
const MAX_CALL_ID_LENGTH = 64

/** What is no text keeps its place; names in `dropped` are what this format has no place for. */
export function writeInput(turns: readonly Turn[], quirks: Quirks, dropped: Set<string>): WrittenInput {
  const firstOther = turns.findIndex((turn) => turn.role !== 'system')
  const leading = firstOther === -1 ? turns : turns.slice(0, firstOther)
  const context = { quirks, ids: new CallIds(), dropped }
  const input = turns.slice(leading.length).flatMap((turn) => itemsOf(turn, context))
  // Instructions alone are no input, which this format insists on.
  if (input.length === 0) return { instructions: undefined, input: leading.flatMap((turn) => itemsOf(turn, context)) }
  const texts = leading.flatMap((turn) => (turn.role === 'system' ? turn.content.map((part) => part.text) : []))
  return { instructions: texts.length === 0 ? undefined : texts.join('\n\n'), input }
}

type Context = { readonly quirks: Quirks; readonly ids: CallIds; readonly dropped: Set<string> }

function itemsOf(turn: Turn, context: Context): JsonObject[] {
  switch (turn.role) {
    case 'system':
      return systemItems(turn.content, context)
    case 'user':
      return [message('user', turn.content.map(inputPart))]
    case 'assistant':
      return assistantItems(turn.content, context)
    case 'tool':
      return turn.results.map((result) => outputItem(result, context))
  }
}

function systemItems(content: readonly TextContent[], { quirks }: Context): JsonObject[] {
  const text = content.map((part) => part.text).join('\n\n')
  if (quirks.laterSystem === 'keep') return [message(quirks.systemRole, [{ type: 'input_text', text }])]
  return [message('user', [{ type: 'input_text', text: `<system>\n${text}\n</system>` }])]
}

function assistantItems(content: readonly AssistantContent[], { ids, dropped }: Context): JsonObject[] {
  const items: JsonObject[] = []
  const said: JsonObject[] = []
  const flush = () => {
    if (said.length > 0) items.push(message('assistant', said.splice(0)))
  }
  // Reasoning that nothing follows is refused.
  const end = content.findLastIndex((part) => part.type !== 'reasoning') + 1
  for (const part of content.slice(0, end)) {
    switch (part.type) {
      case 'text':
        said.push({ type: 'output_text', text: part.text })
        break
      case 'refusal':
        said.push({ type: 'refusal', refusal: part.text })
        break
      case 'reasoning':
        if (part.sealed?.origin !== 'responses') dropped.add('earlier reasoning')
        else {
          flush()
          items.push({ type: 'reasoning', summary: [], encrypted_content: part.sealed.value })
        }
        break
      case 'tool-call':
        flush()
        if (part.sealed !== undefined) dropped.add('thinking signature')
        items.push({ type: 'function_call', call_id: ids.of(part.id), name: part.name, arguments: part.arguments })
    }
  }
  flush()
  if (end < content.length) dropped.add('earlier reasoning')
  return items
}

function outputItem(result: ToolResult, { ids }: Context): JsonObject {
  // This format has no member for a failure of a tool.
  const mark: TextContent[] = result.isError ? [{ type: 'text', text: '[tool_error]' }] : []
  const content = [...mark, ...result.content]
  const isText = content.every((part) => part.type === 'text')
  const output = isText ? content.map((part) => part.text).join(result.isError ? ' ' : '\n\n') : content.map(inputPart)
  return { type: 'function_call_output', call_id: ids.of(result.callId), output }
}

function message(role: string, content: readonly JsonObject[]): JsonObject {
  return { type: 'message', role, content }
}

function inputPart(part: UserContent): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text }
    case 'image':
      return imagePart(part)
    case 'document':
      return documentPart(part)
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } }
  }
}

function imagePart({ source, detail }: ImageContent): JsonObject {
  return { type: 'input_image', image_url: urlOf(source), detail: detail ?? 'auto' }
}

function documentPart({ source, name }: DocumentContent): JsonObject {
  if (source.type === 'text') {
    return { type: 'input_text', text: name === undefined ? source.text : `[document: ${name}]\n${source.text}` }
  }
  if (source.type === 'url') return { type: 'input_file', file_url: source.url }
  const extension = source.mediaType === 'application/pdf' ? '.pdf' : ''
  return { type: 'input_file', filename: name ?? `document${extension}`, file_data: urlOf(source) }
}

function urlOf(source: MediaSource): string {
  return source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`
}

/** Short ids for those that are too long, the same for a call and its result and in every request of a conversation. */
class CallIds {
  readonly #short = new Map<string, string>()

  of(id: string): string {
    if (id.length <= MAX_CALL_ID_LENGTH) return id
    const known = this.#short.get(id)
    if (known !== undefined) return known
    const short = `${id.slice(0, MAX_CALL_ID_LENGTH - 12)}_${this.#short.size}`
    this.#short.set(id, short)
    return short
  }
}
