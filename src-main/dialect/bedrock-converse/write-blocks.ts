// Writes content blocks of messages as those of Converse.

import type { WireBlock } from '#dialect/messages/cache-marks.ts'
import type { Writing } from '#dialect/messages/write-blocks.ts'
import { recordOf } from '#dialect/foreign-bodies.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** What is said where the provider wants a text and there is none. */
const PLACEHOLDER = { text: '.' }
const MAX_NAME_LENGTH = 100

/** What the blocks of one request share: names of documents are told apart, and what is left out is named. */
export type BlockWriting = {
  readonly writing: Writing
  /** Only Claude takes reasoning back. */
  readonly isClaude: boolean
  readonly names: Set<string>
}

/** The blocks of a turn, each with its cache mark behind it. */
export function writeBlocks(blocks: readonly WireBlock[], shared: BlockWriting): readonly JsonObject[] {
  const written = blocks.flatMap((block) => {
    const one = writeBlock(block, shared)
    return one === undefined ? [] : [one, ...cachePoint(block)]
  })
  // A document alone is refused.
  const needsText = written.some((block) => 'document' in block) && !written.some((block) => 'text' in block)
  return needsText ? [...written, PLACEHOLDER] : written
}

/** The cache mark of a block of messages. */
export function cachePoint({ cache_control: mark }: WireBlock): readonly JsonObject[] {
  if (mark === undefined) return []
  const { ttl } = recordOf(mark)
  return [{ cachePoint: { type: 'default', ...(ttl === undefined ? {} : { ttl }) } }]
}

function writeBlock(block: WireBlock, shared: BlockWriting): JsonObject | undefined {
  switch (block['type']) {
    case 'text':
      return { text: block['text'] }
    case 'image':
      return writeImage(recordOf(block['source']), shared)
    case 'document':
      return writeDocument(block, shared)
    case 'tool_use':
      return { toolUse: { toolUseId: block['id'], name: block['name'], input: block['input'] } }
    case 'tool_result':
      return writeResult(block, shared)
    default:
      return writeReasoning(block, shared)
  }
}

function writeReasoning(block: WireBlock, { isClaude, writing }: BlockWriting): JsonObject | undefined {
  if (!isClaude) {
    writing.drop('earlier reasoning')
    return undefined
  }
  const { thinking: text, signature, data } = block
  if (data !== undefined) return { reasoningContent: { redactedContent: data } }
  return { reasoningContent: { reasoningText: { text, signature } } }
}

function writeResult(block: WireBlock, shared: BlockWriting): JsonObject {
  const { tool_use_id: toolUseId, content, is_error: isError } = block
  const blocks = Array.isArray(content) ? writeBlocks(content.map(recordOf), shared) : [{ text: content }]
  const plain = blocks.filter((one) => !('cachePoint' in one))
  const status = isError === true ? { status: 'error' } : {}
  return { toolResult: { toolUseId, content: plain.length === 0 ? [PLACEHOLDER] : plain, ...status } }
}

function writeImage(
  { type, media_type: mediaType, data }: JsonObject,
  { writing }: BlockWriting,
): JsonObject | undefined {
  if (type !== 'base64')
    return refused('This model takes images as data, and fetches none. Send the image itself.', writing)
  return { image: { format: String(mediaType).replace('image/', ''), source: { bytes: data } } }
}

function writeDocument(block: WireBlock, shared: BlockWriting): JsonObject | undefined {
  const { type, media_type: mediaType, data } = recordOf(block['source'])
  const name = documentName(block['title'], shared.names)
  if (type === 'text') {
    const bytes = Buffer.from(String(data)).toString('base64')
    return { document: { format: 'txt', name, source: { bytes } } }
  }
  if (type !== 'base64' || mediaType !== 'application/pdf') {
    return refused('This model takes documents as data, and fetches none. Send the document itself.', shared.writing)
  }
  return { document: { format: 'pdf', name, source: { bytes: data } } }
}

function refused(text: string, writing: Writing): undefined {
  writing.refuse(text, 'messages')
  return undefined
}

/** Letters, digits, single spaces, hyphens and brackets, and no name twice. */
function documentName(title: unknown, names: Set<string>): string {
  const plain = (typeof title === 'string' ? title : '').replaceAll(/[^A-Za-z0-9 ()[\]-]+/g, '-').replaceAll(/ +/g, ' ')
  const base = plain.trim().slice(0, MAX_NAME_LENGTH) || 'document'
  let name = base
  for (let count = 2; names.has(name); count++) name = `${base} ${count}`
  names.add(name)
  return name
}
