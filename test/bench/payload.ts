// What is asked and answered in the benchmark, and what it must cost to the last micro-credit. The upstream sends these
// bytes, the load compares every answer with them: a proxy that is fast because it drops something does not pass.

export const MODEL = 'bench-chat'

/** Models of one target and of three; names of the same length, which differ from what their targets are called. */
export const ONE_TARGET = 'bench-one'
export const THREE_TARGETS = 'bench-all'

/** Credits per million tokens, which are micro-credits per token. */
export const PRICE = { input: 2, output: 10, cache_read: 0.5, cache_write: 2 }

/** What every request allows: more than the longest stream has, since Farebox ends a stream that goes beyond its cap. */
const MOST_OUTPUT = 9000

export type StreamPlan = {
  /** Content events; the role, finish and usage events and `[DONE]` come on top. */
  readonly contentEvents: number
  /** Time between two events of one stream. 0 sends them as fast as the loop turns. */
  readonly everyMs: number
}

/** The format that a contestant's clients speak; the provider speaks chat completions. */
export type Format = 'chat' | 'messages'

/** One kind of request with the exact answer and charge it must have. */
export type Exchange = {
  readonly path: string
  readonly body: string
  /** undefined where any answer will do. */
  readonly expected: Buffer | undefined
  /** Events in the answer. */
  readonly events: number
  readonly chargeMicro: number
}

/** What every answer has for itself, in the form that it has in `expected`. */
export const ID_MASK = { pattern: /msg_[0-9a-f]{32}/g, written: `msg_${'0'.repeat(32)}` }

/** What Farebox estimates for the request from its size, before anybody counted it. */
const LIKELY_INPUT = 157

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

export const WHOLE_EXCHANGE = wholeExchange({})

/** A whole answer to a request with these members, which replace those that it has. */
export function wholeExchange(members: object): Exchange {
  return {
    path: '/v1/chat/completions',
    body: request(members),
    expected: WHOLE_ANSWER,
    events: 1,
    chargeMicro: CHARGE_MICRO,
  }
}

export function streamExchange(plan: StreamPlan, format: Format): Exchange {
  const events = format === 'chat' ? streamEvents(plan) : messagesEvents(plan)
  const shared = { expected: Buffer.concat(events), events: events.length, chargeMicro: CHARGE_MICRO }
  const stop = [`${plan.contentEvents}/${plan.everyMs}`]
  if (format === 'chat') {
    const body = request({ stream: true, stream_options: { include_usage: true }, stop })
    return { ...shared, path: '/v1/chat/completions', body }
  }
  return { ...shared, path: '/v1/messages', body: messagesRequest({ stream: true, stop_sequences: stop }) }
}

/** What a client of the messages format must get for the stream of the same plan. */
function messagesEvents({ contentEvents }: StreamPlan): Buffer[] {
  const usage = { input_tokens: LIKELY_INPUT, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const message = { id: ID_MASK.written, type: 'message', role: 'assistant', model: MODEL, content: [] }
  const nothing = { stop_reason: null, stop_sequence: null, stop_details: null }
  const start = { ...message, ...nothing, usage: { ...usage, output_tokens: 0 } }
  const delta = messagesEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ' fare' } })
  return [
    messagesEvent('message_start', { message: start }),
    messagesEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...Array.from({ length: contentEvents }, () => delta),
    messagesEvent('content_block_stop', { index: 0 }),
    messagesEvent('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: {
        input_tokens: TOKENS.prompt - TOKENS.cached,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: TOKENS.cached,
        output_tokens: TOKENS.completion,
        output_tokens_details: { thinking_tokens: 0 },
      },
    }),
    messagesEvent('message_stop', {}),
  ]
}

function messagesEvent(type: string, members: object): Buffer {
  return Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`)
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

/** The plan a request carries as its stop sequence, which every format has; undefined when it does not ask for a stream. */
export function planOf(body: string): StreamPlan | undefined {
  if (!body.includes('"stream":true')) return undefined
  const { stop } = JSON.parse(body) as { stop: readonly string[] }
  const [contentEvents = 0, everyMs = 0] = (stop[0] ?? '').split('/').map(Number)
  return { contentEvents, everyMs }
}

function request(switches: object): string {
  const messages = [
    { role: 'system', content: SENTENCE.repeat(3) },
    { role: 'user', content: SENTENCE.repeat(2) },
  ]
  return JSON.stringify({ model: MODEL, messages, max_tokens: MOST_OUTPUT, temperature: 0.7, ...switches })
}

function messagesRequest(switches: object): string {
  const messages = [{ role: 'user', content: SENTENCE.repeat(2) }]
  const system = SENTENCE.repeat(3)
  return JSON.stringify({ model: MODEL, system, messages, max_tokens: MOST_OUTPUT, temperature: 0.7, ...switches })
}

function choice(delta: object, finishReason: string | null) {
  return { index: 0, delta, logprobs: null, finish_reason: finishReason }
}

function event(fields: object): Buffer {
  const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_760_000_000, model: MODEL }
  return Buffer.from(`data: ${JSON.stringify({ ...head, system_fingerprint: 'fp_bench', ...fields })}\n\n`)
}
