// The demo provider: an offline upstream that speaks chat completions inside the program, so that a first call can be seen
// working, streaming and costing credits before any real provider is set up. Its answers follow from the request alone.

import { demoEmbeddings } from '#provider/demo-embedding.ts'
import { answerText, callTool, countTokens, readDemoChat, splitTokens, type DemoChat } from '#provider/demo-chat.ts'
import type { Transport, UpstreamCall, UpstreamListener, UpstreamRequest } from '#pipeline/ports.ts'

/** Slow enough to be seen streaming, fast enough not to be waited for. */
const TOKEN_INTERVAL_MS = 4

export class DemoTransport implements Transport {
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamCall {
    const body: unknown = JSON.parse(
      typeof request.body === 'string' ? request.body : Buffer.from(request.body).toString(),
    )
    const pieces =
      request.path === '/embeddings' ? [JSON.stringify(demoEmbeddings(body))] : this.#chat(readDemoChat(body))
    const isStream = pieces.length > 1
    return new Playback(pieces, isStream ? 'text/event-stream' : 'application/json', listener)
  }

  /** The body in the pieces in which it is sent: one, or the events of a stream. */
  #chat(chat: DemoChat): string[] {
    const created = Math.floor(this.#nowMs() / 1000)
    const answer = answerOf(chat)
    const head = { id: `chatcmpl-demo-${created}`, created, model: chat.model, system_fingerprint: 'farebox-demo' }
    const usage = usageOf(chat, answer)
    if (!chat.isStream) {
      const message = { role: 'assistant', content: answer.content, refusal: null, ...toolCalls(answer) }
      const choices = indices(chat.choices).map((index) => ({
        index,
        message,
        logprobs: null,
        finish_reason: answer.finish,
      }))
      return [JSON.stringify({ ...head, object: 'chat.completion', choices, usage })]
    }
    const event = (choices: readonly unknown[], extra: object = {}) =>
      `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...extra })}\n\n`
    const running = chat.wantsUsage ? { usage: null } : {}
    const deltas = [...deltasOf(answer), undefined]
    const events = deltas.map((delta) => {
      const finish = delta === undefined ? answer.finish : null
      const choices = indices(chat.choices).map((index) => ({
        index,
        delta: delta ?? {},
        logprobs: null,
        finish_reason: finish,
      }))
      return event(choices, running)
    })
    if (chat.wantsUsage) events.push(event([], { usage }))
    return [...events, 'data: [DONE]\n\n']
  }
}

type DemoAnswer = {
  readonly content: string | null
  readonly call: { readonly name: string; readonly arguments: string } | undefined
  readonly tokens: readonly string[]
  readonly finish: 'stop' | 'length' | 'tool_calls'
}

function answerOf(chat: DemoChat): DemoAnswer {
  const call = callTool(chat)
  const whole = splitTokens(call === undefined ? answerText(chat) : call.arguments)
  const tokens = chat.outputCap === undefined ? whole : whole.slice(0, chat.outputCap)
  const text = tokens.join('')
  if (tokens.length < whole.length) {
    return {
      content: call === undefined ? text : '',
      call: undefined,
      tokens: call === undefined ? tokens : [],
      finish: 'length',
    }
  }
  if (call === undefined) return { content: text, call: undefined, tokens, finish: 'stop' }
  return { content: null, call, tokens, finish: 'tool_calls' }
}

function usageOf(chat: DemoChat, answer: DemoAnswer) {
  const prompt = countTokens(chat.promptText)
  const completion = answer.tokens.length * chat.choices
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

const CALL_ID = 'call_demo_1'

function toolCalls({ call }: DemoAnswer): object {
  return call === undefined ? {} : { tool_calls: [{ id: CALL_ID, type: 'function', function: call }] }
}

function deltasOf({ call, tokens }: DemoAnswer): object[] {
  if (call === undefined) {
    return [{ role: 'assistant', content: '', refusal: null }, ...tokens.map((content) => ({ content }))]
  }
  const begin = { index: 0, id: CALL_ID, type: 'function', function: { name: call.name, arguments: '' } }
  return [
    { role: 'assistant', content: null, tool_calls: [begin] },
    ...tokens.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ]
}

function indices(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}

/** Plays a body piece by piece, and can be paused and stopped like a connection. */
class Playback implements UpstreamCall {
  readonly #pieces: readonly string[]
  readonly #listener: UpstreamListener
  readonly #contentType: string
  #next = 0
  #isPaused = false
  #timer: NodeJS.Timeout | undefined

  constructor(pieces: readonly string[], contentType: string, listener: UpstreamListener) {
    this.#pieces = pieces
    this.#contentType = contentType
    this.#listener = listener
    this.#timer = setTimeout(() => this.#begin(), 0)
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#schedule()
  }

  abort(): void {
    this.#isPaused = true
    clearTimeout(this.#timer)
    this.#next = Number.POSITIVE_INFINITY
  }

  #begin(): void {
    this.#listener.onHead(200, { 'content-type': this.#contentType })
    this.#play()
  }

  #play(): void {
    const piece = this.#pieces[this.#next]
    if (piece === undefined) {
      if (this.#next === this.#pieces.length) this.#listener.onEnd()
      return
    }
    this.#next += 1
    this.#listener.onData(Buffer.from(piece))
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isPaused) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#play(), TOKEN_INTERVAL_MS)
  }
}
