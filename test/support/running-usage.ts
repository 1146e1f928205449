// Streams of providers that count along while they generate, each in the words of its dialect: a count with every event that can
// carry one, which need not be true, and another at the end, or none.

export type Counts = { readonly input?: number; readonly output?: number }

export type RunningStream = {
  readonly pieces: readonly string[]
  /** What the text is: the answer, or what the model thought before it. */
  readonly as?: 'text' | 'reasoning'
  /** With every event before the end; a function is given how many pieces were sent. */
  readonly running?: Counts | ((pieces: number) => Counts | undefined) | undefined
  /** At the end; none where it is left out. */
  readonly final?: Counts | undefined
  /** `none`: it breaks off behind the last piece; `reason`: behind why it ends; `whole` unless given. */
  readonly until?: 'none' | 'reason' | 'whole'
}

type Dialect = 'chat-completions' | 'messages' | 'responses' | 'gemini'
type Json = Readonly<Record<string, unknown>>

/** The events, in order. */
export function runningStream(dialect: Dialect, stream: RunningStream): string[] {
  return WRITERS[dialect](stream)
}

const WRITERS: Readonly<Record<Dialect, (stream: RunningStream) => string[]>> = {
  'chat-completions': chatStream,
  messages: messagesStream,
  responses: responsesStream,
  gemini: geminiStream,
}

function chatStream({ pieces, as = 'text', final, until = 'whole', ...rest }: RunningStream): string[] {
  const name = as === 'text' ? 'content' : 'reasoning_content'
  const chunk = (delta: Json, finish: string | null, usage: Counts | undefined) =>
    unnamed({
      id: 'x',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...(usage && { usage: { prompt_tokens: usage.input, completion_tokens: usage.output } }),
    })
  return [
    chunk({ role: 'assistant', content: '' }, null, runningAt(rest, 0)),
    ...pieces.map((piece, index) => chunk({ [name]: piece }, null, runningAt(rest, index + 1))),
    ...(until === 'none' ? [] : [chunk({}, 'stop', final)]),
    ...(until === 'whole' ? ['data: [DONE]\n\n'] : []),
  ]
}

function messagesStream({ pieces, as = 'text', final, until = 'whole', ...rest }: RunningStream): string[] {
  const usageOf = (counts: Counts | undefined) =>
    counts && { usage: { input_tokens: counts.input, output_tokens: counts.output } }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null }
  const block = as === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' }
  const delta = (piece: string) =>
    as === 'text' ? { type: 'text_delta', text: piece } : { type: 'thinking_delta', thinking: piece }
  const counted = (stop: string | null, counts: Counts | undefined) =>
    named({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, ...usageOf(counts) })
  return [
    named({ type: 'message_start', message: { ...message, ...usageOf(runningAt(rest, 0)) } }),
    named({ type: 'content_block_start', index: 0, content_block: block }),
    ...pieces.flatMap((piece, index) => {
      const running = runningAt(rest, index + 1)
      return [
        named({ type: 'content_block_delta', index: 0, delta: delta(piece) }),
        ...(running === undefined ? [] : [counted(null, running)]),
      ]
    }),
    ...(until === 'none' ? [] : [named({ type: 'content_block_stop', index: 0 }), counted('end_turn', final)]),
    ...(until === 'whole' ? [named({ type: 'message_stop' })] : []),
  ]
}

/** In this format the reason is the end of the stream. */
function responsesStream({ pieces, as = 'text', final, until = 'whole', ...rest }: RunningStream): string[] {
  const usageOf = (counts: Counts | undefined) => ({
    usage: counts === undefined ? null : { input_tokens: counts.input, output_tokens: counts.output },
  })
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] }
  const state = (type: string, status: string, counts: Counts | undefined) =>
    named({ type, response: { ...response, status, ...usageOf(counts) } })
  const text = pieces.join('')
  const place = { output_index: 0, item_id: 'item_1' }
  const isText = as === 'text'
  const item = isText
    ? { id: 'item_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }
    : { id: 'item_1', type: 'reasoning', summary: [{ type: 'summary_text', text }] }
  const empty = isText ? { ...item, content: [] } : { ...item, summary: [] }
  const type = isText ? 'response.output_text.delta' : 'response.reasoning_summary_text.delta'
  return [
    state('response.created', 'in_progress', undefined),
    state('response.in_progress', 'in_progress', runningAt(rest, 0)),
    named({ type: 'response.output_item.added', output_index: 0, item: empty }),
    ...pieces.flatMap((delta, index) => {
      const running = runningAt(rest, index + 1)
      return [
        named({ type, ...place, ...(isText ? { content_index: 0 } : { summary_index: 0 }), delta }),
        ...(running === undefined ? [] : [state('response.in_progress', 'in_progress', running)]),
      ]
    }),
    ...(until === 'none'
      ? []
      : [
          named({ type: 'response.output_item.done', output_index: 0, item }),
          named({
            type: 'response.completed',
            response: { ...response, status: 'completed', output: [item], ...usageOf(final) },
          }),
        ]),
  ]
}

/** There is no event behind the reason. As at Google a running count without output has a total all the same. */
function geminiStream({ pieces, as = 'text', final, until = 'whole', ...rest }: RunningStream): string[] {
  const chunk = (text: string, counts: Counts | undefined, more: Json = {}) => {
    const { input, output } = counts ?? {}
    const usageMetadata = {
      promptTokenCount: input,
      candidatesTokenCount: output === 0 ? undefined : output,
      totalTokenCount: (input ?? 0) + (output ?? 0),
    }
    const part = as === 'text' ? { text } : { text, thought: true }
    return unnamed({
      candidates: [{ content: { role: 'model', parts: [part] }, index: 0, ...more }],
      ...(counts && { usageMetadata }),
    })
  }
  return [
    ...pieces.map((piece, index) => chunk(piece, runningAt(rest, index + 1))),
    ...(until === 'none' ? [] : [chunk('', final, { finishReason: 'STOP' })]),
  ]
}

function runningAt({ running }: Pick<RunningStream, 'running'>, pieces: number): Counts | undefined {
  return typeof running === 'function' ? running(pieces) : running
}

function unnamed(data: Json): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

function named(data: Json & { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
}
