// What Converse refuses by rules of its own, and its request in the words of messages, whose rules hold for Claude there too.

import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { fail, list, record } from './rule-support.ts'

/** A block is one of these, and nothing else stands beside it. */
const BLOCKS = ['text', 'image', 'document', 'toolUse', 'toolResult', 'reasoningContent', 'cachePoint']
const DOCUMENT_NAME = /^(?!.* {2})[A-Za-z0-9 ()[\]-]{1,200}$/

/** Throws for what would be answered with a ValidationException. */
export function messagesOfConverse(body: JsonObject): JsonObject {
  const { messages, system, toolConfig, inferenceConfig, additionalModelRequestFields: fields } = body
  const written = list(messages).map(({ role, content }) => ({ role, content: blocksOf(content) }))
  const { tools, toolChoice } = record(toolConfig)
  if (toolConfig !== undefined && list(tools).length === 0) fail('toolConfig without tools')
  const isCalled = list(messages).some(({ content }) => list(content).some((one) => 'toolUse' in one))
  if (isCalled && toolConfig === undefined) fail('calls without toolConfig')
  if (JSON.stringify(body).split('"cachePoint"').length > 5) fail('more than 4 cache points')
  return {
    messages: written,
    system: blocksOf(system),
    ...(toolConfig === undefined ? {} : { tools: list(tools).flatMap(toolOf) }),
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    max_tokens: record(inferenceConfig)['maxTokens'],
    // A model that thinks adaptively may have gone through a loop without a thought, and such a loop is taken.
    ...(record(record(fields)['thinking'])['type'] === 'adaptive' ? {} : record(fields)),
  }
}

function blocksOf(content: unknown): JsonObject[] {
  const blocks = list(content)
  for (const block of blocks) {
    const names = Object.keys(block)
    if (names.length !== 1 || !BLOCKS.includes(names[0] ?? '')) fail(`a block of ${names.join(' and ')}`)
  }
  const documents = blocks.flatMap((block) => ('document' in block ? [record(block['document'])['name']] : []))
  for (const name of documents) if (!DOCUMENT_NAME.test(String(name))) fail(`a document '${String(name)}'`)
  if (new Set(documents).size < documents.length) fail('two documents of the same name')
  return blocks.flatMap((block) => ('cachePoint' in block ? [] : [blockOf(block)]))
}

function blockOf({ text, toolUse, toolResult, reasoningContent }: JsonObject): JsonObject {
  if (text !== undefined) return { type: 'text', text }
  if (isRecord(toolUse)) {
    return { type: 'tool_use', id: toolUse['toolUseId'], name: toolUse['name'], input: toolUse['input'] }
  }
  if (isRecord(toolResult)) {
    const { toolUseId, content } = toolResult
    if (list(content).length === 0) fail('a result without content')
    return { type: 'tool_result', tool_use_id: toolUseId, content: blocksOf(content) }
  }
  if (!isRecord(reasoningContent)) return { type: 'other' }
  const { reasoningText } = reasoningContent
  if (!isRecord(reasoningText)) return { type: 'redacted_thinking', data: reasoningContent['redactedContent'] }
  return { type: 'thinking', thinking: reasoningText['text'], signature: reasoningText['signature'] }
}

function toolOf(tool: JsonObject): JsonObject[] {
  if ('cachePoint' in tool) return []
  const { name, description, inputSchema } = record(tool['toolSpec'])
  if (description === '') fail('a description that is empty')
  return [{ name, input_schema: record(inputSchema)['json'] }]
}
