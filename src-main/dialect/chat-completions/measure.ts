// What a model generated in a message or a delta. Used for estimates only, where a provider reports no usage.

import { thinkingText } from '#dialect/chat-completions/reasoning-details.ts'
import {
  addMembers,
  addSound,
  eachMember,
  outputRules,
  text,
  within,
  type AsideMembers,
  type OutputRule,
  type OutputSink,
} from '#dialect/output-rules.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Adds what a message or a delta holds: content, reasoning, refusal, sound, names and arguments of tool calls, and all else. */
export function addGenerated(sink: OutputSink, message: unknown): void {
  if (isRecord(message)) addMembers(sink, message, MESSAGE)
}

/** Adds what stands beside the choices of a chunk, or of an answer, and in them beside the message. */
export function addBeside(asides: AsideMembers, chunk: JsonObject): void {
  asides.note(chunk, BESIDE_CHOICES)
  const { choices } = chunk
  if (!Array.isArray(choices)) return
  for (const [place, choice] of choices.entries()) if (isRecord(choice)) asides.note(choice, IN_CHOICE, `${place} `)
}

const BESIDE_CHOICES: ReadonlySet<string> = new Set(
  (
    'id object created model system_fingerprint service_tier choices usage error obfuscation provider type metadata ' +
    'citations search_results images related_questions timings x_groq prompt_filter_results prompt_logprobs ' +
    'prompt_token_ids kv_transfer_params time_info request_id moderation warnings cost stats'
  ).split(' '),
)

/** Where a choice has a text beside its delta, some servers say the same in both. */
const IN_CHOICE: ReadonlySet<string> = new Set(
  (
    'index delta message text usage logprobs finish_reason finish_details native_finish_reason stop_reason matched_stop seed error ' +
    'token_ids content_filter_results content_filter_offsets content_filter_result'
  ).split(' '),
)

/** Mistral's reasoning models mix parts of text and of thinking. */
const PART = outputRules({ text, refusal: text, thinking: (sink, value) => sink.add(thinkingText(value)) }, 'type')

const content: OutputRule = (sink, value, object) => {
  if (typeof value === 'string') sink.add(value)
  else eachMember(PART)(sink, value, object)
}

/** Providers that send several of the members for reasoning send the same text in all of them. */
function hasPlainReasoning({ reasoning_content: own, reasoning: other }: JsonObject): boolean {
  return (typeof own === 'string' && own !== '') || (typeof other === 'string' && other !== '')
}

const reasoning: OutputRule = (sink, value, { reasoning_content: own }) => {
  if (typeof own !== 'string' || own === '') text(sink, value, {})
}

/** Texts of reasoning, with seals that say more than the texts. */
const REASONING_DETAIL = outputRules({ text, summary: text, thinking: text }, 'type id format index')
const SEALS_OF_REASONING = outputRules({}, 'type id format index text summary thinking')

const reasoningDetails: OutputRule = (sink, value, message) => {
  eachMember(hasPlainReasoning(message) ? SEALS_OF_REASONING : REASONING_DETAIL)(sink, value, message)
}

const NAMED = outputRules(
  {
    name: text,
    // Some servers send arguments as the object that they are.
    arguments: (sink, value) => sink.add(isRecord(value) ? textOf(value) : typeof value === 'string' ? value : ''),
    input: text,
  },
  'id index type',
)

const namedCall = within(NAMED)

const AUDIO = outputRules(
  { transcript: text, data: (sink, value) => addSound(sink, value, sink.audioFormat) },
  'id expires_at format',
)

/** LiteLLM repeats in a member what it has put into members of its own. */
const REPEATED = outputRules({}, 'thinking_blocks reasoning_content reasoning citations citation images audio refusal')

const MESSAGE = outputRules(
  {
    content,
    reasoning_content: text,
    reasoning,
    reasoning_details: reasoningDetails,
    thinking_blocks: reasoningDetails,
    refusal: text,
    tool_calls: eachMember(outputRules({ function: namedCall, custom: namedCall }, 'index id type')),
    function_call: namedCall,
    audio: within(AUDIO),
    provider_specific_fields: within(REPEATED),
  },
  'role name tool_call_id type index token_id token_ids',
)

/** An estimate needs no more of what is nested too deeply to be written; what passes it on goes on. */
function textOf(value: JsonObject): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}
