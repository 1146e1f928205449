// The response object that opens and ends a stream, and that a whole answer is. Like OpenAI's it repeats what was asked for.

import type { TokenUsage } from '#core/usage.ts'
import type { AnswerContext } from '#dialect/dialect.ts'
import { isRecord } from '#dialect/request-body.ts'
import type { ResponseError } from '#dialect/responses/errors.ts'
import { writeResponsesUsage } from '#dialect/responses/usage.ts'
import type { JsonObject } from '#dialect/turn.ts'

export type ResponseState = {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  /** JSON texts of the output items. */
  readonly output: readonly string[]
  readonly usage?: TokenUsage
  readonly error?: ResponseError
  readonly incompleteReason?: string | undefined
}

/** Writes the response object of one answer in each of its states. What never changes is made into text only once. */
export class ResponseObject {
  readonly #head: string
  readonly #echo: string

  constructor(context: AnswerContext) {
    const { request, exchangeId, createdAtS } = context
    this.#head = `{"id":"${responseId(exchangeId)}","object":"response","created_at":${createdAtS}`
    const previous = request.wentOn === undefined ? {} : { previous_response_id: request.wentOn.previousId }
    this.#echo = JSON.stringify({ ...echoOf(request.model, request.body.value), ...previous }).slice(1)
  }

  write({ status, output, usage, error, incompleteReason }: ResponseState): string {
    const details = incompleteReason === undefined ? null : { reason: incompleteReason }
    const counts = usage === undefined ? null : writeResponsesUsage(usage)
    return (
      `${this.#head},"status":"${status}","error":${JSON.stringify(error ?? null)},` +
      `"incomplete_details":${JSON.stringify(details)},"output":[${output.join(',')}],` +
      `"usage":${JSON.stringify(counts)},${this.#echo}`
    )
  }
}

export function responseId(exchangeId: string): string {
  return `resp_${idStem(exchangeId)}`
}

/** What ids of an answer have in common: the exchange's UUID without dashes. */
export function idStem(exchangeId: string): string {
  return exchangeId.replaceAll('-', '')
}

/** Whether an item was written here, so that no provider knows it by its id; OpenAI's ids have no number at their end. */
export function isOwnItemId(id: unknown): boolean {
  return typeof id === 'string' && /^[a-z]+_[0-9a-f]{32}_\d+$/.test(id)
}

/** What a response repeats of its request. */
export function echoOf(model: string, body: JsonObject): JsonObject {
  const { reasoning, text, max_output_tokens: cap } = body
  const asked = isRecord(reasoning) ? reasoning : {}
  return {
    background: false,
    instructions: body['instructions'] ?? null,
    max_output_tokens: cap ?? null,
    max_tool_calls: body['max_tool_calls'] ?? null,
    metadata: isRecord(body['metadata']) ? body['metadata'] : {},
    model,
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    previous_response_id: null,
    prompt_cache_key: body['prompt_cache_key'] ?? null,
    reasoning: { effort: asked['effort'] ?? null, summary: asked['summary'] ?? null },
    safety_identifier: body['safety_identifier'] ?? null,
    service_tier: null,
    store: false,
    temperature: body['temperature'] ?? 1,
    text: { format: { type: 'text' }, ...withoutNulls(text) },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: body['tools'] ?? [],
    top_logprobs: 0,
    top_p: body['top_p'] ?? 1,
    truncation: 'disabled',
    user: body['user'] ?? null,
  }
}

function withoutNulls(value: unknown): JsonObject {
  if (!isRecord(value)) return {}
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
}
