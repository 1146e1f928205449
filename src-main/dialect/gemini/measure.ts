// What a model generated in a candidate. Used for estimates only, where a provider reports no usage.

import {
  addMembers,
  addSound,
  eachMember,
  outputRules,
  text,
  within,
  type AsideMembers,
  type OutputSink,
} from '#dialect/output-rules.ts'
import { writeInput } from '#dialect/tool-input.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** Adds what a candidate holds, or a piece of it: texts, thoughts, code and calls, and by its size all else. */
export function addGeneratedCandidate(sink: OutputSink, candidate: unknown): void {
  const content = isRecord(candidate) ? candidate['content'] : undefined
  if (isRecord(content)) addMembers(sink, content, CONTENT)
}

/** Adds what stands beside the candidates of a chunk, and in them beside the content. */
export function addBeside(asides: AsideMembers, chunk: JsonObject): void {
  asides.note(chunk, BESIDE_CANDIDATES)
  const { candidates } = chunk
  if (!Array.isArray(candidates)) return
  for (const [place, candidate] of candidates.entries()) {
    if (isRecord(candidate)) asides.note(candidate, IN_CANDIDATE, `${place} `)
  }
}

const BESIDE_CANDIDATES: ReadonlySet<string> = new Set(
  (
    'candidates usageMetadata modelVersion responseId createTime promptFeedback modelStatus error sdkHttpResponse ' +
    'automaticFunctionCallingHistory'
  ).split(' '),
)

const IN_CANDIDATE: ReadonlySet<string> = new Set(
  (
    'content index finishReason finishMessage tokenCount avgLogprobs logprobsResult safetyRatings citationMetadata ' +
    'groundingMetadata groundingAttributions urlContextMetadata continuationToken'
  ).split(' '),
)

const PARTIAL_ARGUMENT = outputRules(
  {
    stringValue: text,
    numberValue: (sink, value) => sink.addValue([value]),
  },
  'jsonPath willContinue boolValue nullValue',
)

const CALL = outputRules(
  {
    name: text,
    args: (sink, value) => sink.add(typeof value === 'string' ? value : writeInput(value)),
    partialArgs: eachMember(PARTIAL_ARGUMENT),
  },
  'id willContinue',
)
const CODE = outputRules({ code: text }, 'id language')
const RESULT = outputRules({}, 'id outcome')

const MEDIA = outputRules(
  { data: (sink, value, { mimeType }) => addSound(sink, value, isSound(mimeType) ? mimeType : undefined) },
  'mimeType displayName',
)

const PART = outputRules(
  {
    text,
    functionCall: within(CALL),
    executableCode: within(CODE),
    codeExecutionResult: within(RESULT),
    inlineData: within(MEDIA),
  },
  'thought videoMetadata mediaResolution',
)

const CONTENT = outputRules({ parts: eachMember(PART) }, 'role')

function isSound(mimeType: unknown): boolean {
  return typeof mimeType === 'string' && /^audio\//i.test(mimeType)
}
