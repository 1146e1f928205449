// Turns as the input items of the responses format.

import type { Quirks } from '#core/quirks.ts'
import { CallIds, plainIds } from '#dialect/call-ids.ts'
import type {
  AssistantContent,
  AudioContent,
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
export const MAX_CALL_ID_LENGTH = 64
/** What a user said who sent nothing but sound. */
const NO_SOUND = '[a sound, which this model cannot hear]'

/** What is no text keeps its place; names in `dropped` are what this format has no place for. */
export function writeInput(turns: readonly Turn[], quirks: Quirks, dropped: Set<string>): WrittenInput {
  const firstOther = turns.findIndex((turn) => turn.role !== 'system')
  const leading = firstOther === -1 ? turns : turns.slice(0, firstOther)
  const context = { quirks, ids: new CallIds(plainIds(MAX_CALL_ID_LENGTH)), dropped }
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
      return [message('user', userParts(turn.content, context.dropped))]
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
  const said: string[] = []
  // Parts of an assistant's message are those of an answer, with an id and a status that only its provider has. A plain text
  // is taken everywhere.
  const flush = () => {
    if (said.length > 0) items.push({ type: 'message', role: 'assistant', content: said.splice(0).join('\n\n') })
  }
  // Reasoning that nothing follows is refused.
  const end = content.findLastIndex((part) => part.type !== 'reasoning') + 1
  for (const part of content.slice(0, end)) {
    switch (part.type) {
      case 'text':
      case 'refusal':
        said.push(part.text)
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
        items.push({ type: 'function_call', call_id: ids.call(part.id), name: part.name, arguments: part.arguments })
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
  return { type: 'function_call_output', call_id: ids.result(result.callId) ?? result.callId, output }
}

function message(role: string, content: readonly JsonObject[]): JsonObject {
  return { type: 'message', role, content }
}

/** The format had a part for sound once, and has none any more. */
function userParts(content: readonly UserContent[], dropped: Set<string>): JsonObject[] {
  const parts = content.flatMap((part) => (part.type === 'audio' ? [] : [inputPart(part)]))
  if (parts.length < content.length) dropped.add('input_audio')
  return parts.length > 0 ? parts : [{ type: 'input_text', text: NO_SOUND }]
}

function inputPart(part: Exclude<UserContent, AudioContent>): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text }
    case 'image':
      return imagePart(part)
    case 'document':
      return documentPart(part)
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
