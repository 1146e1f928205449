// Content of messages and of tool outputs in the input of the responses format.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { isRecord } from '#dialect/request-body.ts'
import { readAudio, readFile, readImage } from '#dialect/responses/media.ts'
import type { AssistantContent, TextContent, ToolResult, UserContent } from '#dialect/turn.ts'

/** Content of a user, system or developer message. */
export function readUserContent(content: unknown, param: string): UserContent[] | Refusal {
  if (typeof content === 'string') return textOf(content)
  return readParts(content, param, (part, path) => {
    const read = readInputPart(part, path)
    return read ?? unknownPart(path)
  })
}

/** What an assistant said in an earlier turn. */
export function readAssistantContent(content: unknown, param: string): AssistantContent[] | Refusal {
  if (typeof content === 'string') return textOf(content)
  if (content === undefined || content === null) return []
  return readParts<AssistantContent>(content, param, (part, path) => {
    if (isTextPart(part)) return readText(part, path)
    if (part['type'] !== 'refusal') return unknownPart(path)
    const refusal = part['refusal']
    return typeof refusal === 'string' ? { type: 'refusal', text: refusal } : mustBeString(`${path}.refusal`)
  })
}

/** What a tool gave back. Parts that only OpenAI can read are named in `dropped`. */
export function readToolOutput(output: unknown, param: string, dropped: Set<string>): ToolResult['content'] | Refusal {
  if (output === undefined || output === null) return []
  if (typeof output === 'string') return textOf(output)
  // Tools that answer with an object instead of a text mean its JSON.
  if (isRecord(output)) return [{ type: 'text', text: JSON.stringify(output) }]
  return readParts(output, param, (part, path) => {
    const read = readInputPart(part, path)
    if (read === undefined) {
      dropped.add('tool output of an unknown type')
      return undefined
    }
    if (!isRefusal(read) && read.type === 'audio') return unknownPart(path)
    return read
  })
}

/** undefined for a type that is none of the input's. */
function readInputPart(part: Record<string, unknown>, param: string): UserContent | Refusal | undefined {
  if (isTextPart(part)) return readText(part, param)
  switch (part['type']) {
    case 'input_image':
    case 'image_url':
      return readImage(part, param)
    case 'input_file':
      return readFile(part, param)
    case 'input_audio':
      return readAudio(part, param)
    default:
      return undefined
  }
}

function isTextPart(part: Record<string, unknown>): boolean {
  const { type } = part
  return type === 'input_text' || type === 'output_text' || type === 'text'
}

function readText(part: Record<string, unknown>, param: string): TextContent | Refusal {
  const { text } = part
  return typeof text === 'string' ? { type: 'text', text } : mustBeString(`${param}.text`)
}

function readParts<Part extends { readonly type: string }>(
  content: unknown,
  param: string,
  read: (part: Record<string, unknown>, param: string) => Part | Refusal | undefined,
): Part[] | Refusal {
  if (!Array.isArray(content)) {
    return refuse('invalid_request', `'${param}' must be a string or an array of content parts.`, { param })
  }
  const parts: Part[] = []
  for (const [index, given] of content.entries()) {
    const path = `${param}[${index}]`
    if (!isRecord(given)) return refuse('invalid_request', `'${path}' must be an object.`, { param: path })
    const part = read(given, path)
    if (part === undefined) continue
    if (isRefusal(part)) return part
    // An empty text says nothing, and some providers refuse it.
    if (!('text' in part) || part.text !== '') parts.push(part)
  }
  return parts
}

function textOf(text: string): TextContent[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

function unknownPart(param: string): Refusal {
  const path = `${param}.type`
  return refuse('invalid_request', `'${path}' is no type of content that can be used here.`, { param: path })
}

function mustBeString(param: string): Refusal {
  return refuse('invalid_request', `'${param}' must be a string.`, { param })
}
