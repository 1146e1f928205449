// Answers of the scripted provider in the format of Amazon's Converse, as bytes. Pure and deterministic. As Amazon sends them: only
// calls have an event with which they begin, the counts come behind the reason, and each event is a frame.
import { frame } from './aws-frames.ts'
import { CONVERSE_USAGE, type Content, type ProviderError, type ToolCall } from './upstream-behaviour.ts'
import {
  halvesOf,
  textOf,
  textPieces,
  wordsOf,
  type Json,
  type StreamScript,
  type WireFormat,
} from './upstream-format.ts'

/** A content block: as a whole, how a stream begins it, and the deltas that fill it. */
type Block = { readonly whole: Json; readonly start?: Json; readonly deltas: readonly Json[] }

const DEFAULT_SEAL = 'c2NyaXB0ZWQtc2lnbmF0dXJl'
/** What Amazon calls an error of each status. */
const EXCEPTIONS: Readonly<Record<number, string>> = {
  400: 'validationException',
  403: 'accessDeniedException',
  404: 'resourceNotFoundException',
  408: 'modelTimeoutException',
  429: 'throttlingException',
  500: 'internalServerException',
  503: 'serviceUnavailableException',
}

export const CONVERSE: WireFormat = {
  streams: ({ path }) => path.endsWith('/converse-stream'),
  streamType: 'application/vnd.amazon.eventstream',
  whole: (script) => Buffer.from(JSON.stringify(wholeAnswer(script), null, 2)),
  events: converseEvents,
  deltaMark: 'contentBlockDelta',
  errorOf: (status, message) => ({ __type: EXCEPTIONS[status] ?? 'UnknownException', message }),
  errorBody: (error) => error,
  errorEvents: (error) => [exception(error)],
}

function exception({ __type: name, ...rest }: ProviderError): Buffer {
  return frame(typeof name === 'string' ? name : 'internalServerException', rest, 'exception')
}

function wholeAnswer(script: Content): Json {
  const content = blocksOf(script).map(({ whole }) => whole)
  return {
    output: { message: { role: 'assistant', content } },
    stopReason: reasonOf(script),
    ...usageOf(script),
    metrics: { latencyMs: 5 },
  }
}

function converseEvents(script: StreamScript): Buffer[] {
  const events = [frame('messageStart', { role: 'assistant' }), ...blocksOf(script).flatMap(blockEvents)]
  if (!script.omit?.includes('finish')) events.push(frame('messageStop', { stopReason: reasonOf(script) }))
  if (!script.omit?.includes('done')) events.push(frame('metadata', { ...usageOf(script), metrics: { latencyMs: 5 } }))
  return events
}

function blockEvents({ start, deltas }: Block, contentBlockIndex: number): Buffer[] {
  return [
    ...(start === undefined ? [] : [frame('contentBlockStart', { contentBlockIndex, start })]),
    ...deltas.map((delta) => frame('contentBlockDelta', { contentBlockIndex, delta })),
    frame('contentBlockStop', { contentBlockIndex }),
  ]
}

function blocksOf(script: Content): Block[] {
  const text = textOf(script)
  return [
    ...(script.reasoning === undefined ? [] : [reasoningBlock(script.reasoning, script.seal)]),
    ...(text === undefined ? [] : [{ whole: { text }, deltas: textPieces(script).map((piece) => ({ text: piece })) }]),
    ...(script.toolCalls ?? []).map(toolBlock),
  ]
}

function reasoningBlock(text: string, seal: string | null = DEFAULT_SEAL): Block {
  const signed = seal === null ? [] : [{ signature: seal }]
  const pieces = [...wordsOf(text).map((word) => ({ text: word })), ...signed]
  return {
    whole: { reasoningContent: { reasoningText: { text, ...signed[0] } } },
    deltas: pieces.map((reasoningContent) => ({ reasoningContent })),
  }
}

function toolBlock({ id: toolUseId, name, arguments: text }: ToolCall): Block {
  return {
    whole: { toolUse: { toolUseId, name, input: JSON.parse(text === '' ? '{}' : text) as unknown } },
    start: { toolUse: { toolUseId, name } },
    deltas: halvesOf(text).map((input) => ({ toolUse: { input } })),
  }
}

function reasonOf({ finishReason, toolCalls }: Content): string {
  return finishReason ?? (toolCalls === undefined ? 'end_turn' : 'tool_use')
}

function usageOf({ usage = CONVERSE_USAGE }: Content): Json {
  return usage === null ? {} : { usage }
}
