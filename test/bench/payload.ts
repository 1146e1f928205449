// What is asked and answered in the benchmark, and what it must cost to the last micro-credit. The upstream sends these
// bytes, the load compares every answer with them: a proxy that is fast because it drops something does not pass.

export const MODEL = 'bench-chat'

/** Credits per million tokens, which are micro-credits per token. */
export const PRICE = { input: 2, output: 10, cache_read: 0.5, cache_write: 2 }

export type StreamPlan = {
  /** Content events; the role, finish and usage events and `[DONE]` come on top. */
  readonly contentEvents: number
  /** Time between two events of one stream. 0 sends them as fast as the loop turns. */
  readonly everyMs: number
}

/** One kind of request with the exact answer and charge it must have. */
export type Exchange = { readonly body: string; readonly expected: Buffer; readonly chargeMicro: number }

const TOKENS = { prompt: 120, cached: 20, completion: 40 }

const USAGE = {
  prompt_tokens: TOKENS.prompt,
  completion_tokens: TOKENS.completion,
  total_tokens: TOKENS.prompt + TOKENS.completion,
  prompt_tokens_details: { cached_tokens: TOKENS.cached, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
}

const CHARGE_MICRO =
  (TOKENS.prompt - TOKENS.cached) * PRICE.input + TOKENS.cached * PRICE.cache_read + TOKENS.completion * PRICE.output

const SENTENCE = 'The fare is counted once, when the ride is over, and the book is closed before the door opens. '

/** About 1 KB of JSON, like an ordinary short answer. */
export const WHOLE_ANSWER = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: MODEL,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: SENTENCE.repeat(6), refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: USAGE,
    service_tier: 'default',
    system_fingerprint: 'fp_bench',
  }),
)

export const WHOLE_EXCHANGE: Exchange = { body: request({}), expected: WHOLE_ANSWER, chargeMicro: CHARGE_MICRO }

export function streamExchange(plan: StreamPlan): Exchange {
  const switches = { stream: true, stream_options: { include_usage: true }, user: JSON.stringify(plan) }
  return { body: request(switches), expected: Buffer.concat(streamEvents(plan)), chargeMicro: CHARGE_MICRO }
}

/** The events of one stream, about 220 bytes each, as OpenAI sends them when usage is asked for. */
export function streamEvents({ contentEvents }: StreamPlan): Buffer[] {
  const content = event({ choices: [choice({ content: ' fare' }, null)], usage: null })
  return [
    event({ choices: [choice({ role: 'assistant', content: '' }, null)], usage: null }),
    ...Array.from({ length: contentEvents }, () => content),
    event({ choices: [choice({}, 'stop')], usage: null }),
    event({ choices: [], usage: USAGE }),
    Buffer.from('data: [DONE]\n\n'),
  ]
}

/** The plan a request carries in its `user` field; undefined when it does not ask for a stream. */
export function planOf(body: string): StreamPlan | undefined {
  if (!body.includes('"stream":true')) return undefined
  const { user } = JSON.parse(body) as { user: string }
  return JSON.parse(user) as StreamPlan
}

function request(switches: object): string {
  const messages = [
    { role: 'system', content: SENTENCE.repeat(3) },
    { role: 'user', content: SENTENCE.repeat(2) },
  ]
  return JSON.stringify({ model: MODEL, messages, max_tokens: 1000, temperature: 0.7, ...switches })
}

function choice(delta: object, finishReason: string | null) {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason }
}

function event(fields: object): Buffer {
  const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_760_000_000, model: MODEL }
  return Buffer.from(`data: ${JSON.stringify({ ...head, system_fingerprint: 'fp_bench', ...fields })}\n\n`)
}
