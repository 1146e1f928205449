// What a model generated in a content block or a delta of one. Used for estimates only, where a provider reports no usage.

import { addMembers, outputRules, text, within, type OutputSink } from '#dialect/output-rules.ts'
import { writeInput } from '#dialect/tool-input.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Adds what a block holds: text, thinking, a tool's name and input, and by its bytes all else. */
export function addGeneratedBlock(sink: OutputSink, block: unknown): void {
  if (isRecord(block)) addMembers(sink, block, BLOCK)
}

/** Adds what a delta holds: text, thinking, a piece of a tool's input, and by its bytes all else. */
export function addGeneratedDelta(sink: OutputSink, delta: unknown): void {
  if (isRecord(delta)) addMembers(sink, delta, DELTA)
}

/** Adds what an event holds beside its block or its delta, and what the end of a message holds beside its reason. */
export function addBeside(sink: OutputSink, event: JsonObject): void {
  addMembers(sink, event, event['type'] === 'message_delta' ? MESSAGE_END : EVENT)
}

const BLOCK = outputRules(
  {
    text,
    thinking: text,
    name: text,
    input: (sink, value, { name }) => {
      if (typeof name !== 'string') sink.addValue(value)
      else if (isRecord(value)) sink.add(writeInput(value))
      else text(sink, value, {})
    },
  },
  'type id tool_use_id index caller cache_control is_error server_name toolset_name mcp_server_name',
)

const DELTA = outputRules({ text, thinking: text, partial_json: text }, 'type estimated_tokens')

const EVENT = outputRules({}, 'type index message delta content_block usage error model')

const MESSAGE_END = outputRules(
  { delta: within(outputRules({}, 'stop_reason stop_sequence stop_details container type')) },
  'type index message usage context_management input_transformations model',
)
