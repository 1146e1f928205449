// The client of one exchange over a WebSocket. Each event of its stream is a message, and an error that comes in place of a stream is an
// event of the type `error`, as OpenAI has it.

import { isUtf8 } from 'node:buffer'
import type { WireBytes } from '#dialect/answer.ts'
import { isRecord, parseJson } from '#dialect/request-body.ts'
import { eventData, EventSplitter } from '#dialect/sse.ts'
import type { Client, Headers } from '#pipeline/ports.ts'
import type { Line } from '#server/socket/line.ts'

/** What ends a stream over HTTP; a message says nothing by it. */
const DONE = '[DONE]'

export class SocketClient implements Client {
  readonly #line: Line
  readonly #splitter = new EventSplitter()
  readonly #onCancel: (() => void)[] = []
  #head: { readonly status: number; readonly headers: Headers } = { status: 200, headers: {} }
  #state: 'running' | 'over' | 'left' = 'running'
  hasBegun = false

  constructor(line: Line) {
    this.#line = line
  }

  /** What an answer over HTTP would have had. */
  get status(): number {
    return this.#head.status
  }

  get isComplete(): boolean {
    return this.#state === 'over'
  }

  get isCancelled(): boolean {
    return this.#state === 'left'
  }

  onCancel(callback: () => void): void {
    if (this.isCancelled) callback()
    else this.#onCancel.push(callback)
  }

  /** To be called when its connection has closed. */
  leave(): void {
    if (this.#state !== 'running') return
    this.#state = 'left'
    for (const callback of this.#onCancel) callback()
  }

  begin(status: number, headers: Headers): void {
    this.#head = { status, headers }
  }

  write(bytes: WireBytes): boolean {
    this.hasBegun = true
    return this.#line.send(messagesIn(this.#splitter.push(latin1(bytes))))
  }

  onDrain(callback: () => void): void {
    if (this.#state === 'running') this.#line.onDrain(callback)
  }

  end(bytes: WireBytes = ''): void {
    if (this.#state !== 'running') return
    if (this.status >= 400) this.#line.send([errorMessage(this.#head, Buffer.from(latin1(bytes), 'latin1'))])
    else {
      const events = this.#splitter.push(latin1(bytes))
      this.#line.send(messagesIn([...events, `${this.#splitter.rest}\n\n`]))
    }
    this.hasBegun = true
    this.#state = 'over'
  }

  cut(): void {
    this.#line.cut()
  }
}

/** Comments, which keep a stream alive, are no messages: a connection has pings for that. */
function messagesIn(events: readonly string[]): Buffer[] {
  return events.flatMap((event) => {
    const data = eventData(event)
    return data === undefined || data === DONE || data === '' ? [] : [textOf(Buffer.from(data, 'latin1'))]
  })
}

/** Bytes that are no text would make the client end the connection. */
function textOf(bytes: Buffer): Buffer {
  return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString('utf8'))
}

function latin1(bytes: WireBytes): string {
  return typeof bytes === 'string' ? bytes : bytes.toString('latin1')
}

/** OpenAI's codes are texts, and so are the types of those who read them. */
function errorMessage(
  { status, headers }: { readonly status: number; readonly headers: Headers },
  body: Buffer,
): Buffer {
  const value = parseJson(body.toString('utf8'))
  const error = isRecord(value) && isRecord(value['error']) ? value['error'] : {}
  const details = isRecord(error['details']) ? error['details'] : {}
  const code = [details['code'], error['code']].find((one) => typeof one === 'string') ?? String(status)
  const { 'content-type': _, ...told } = headers
  return Buffer.from(JSON.stringify({ type: 'error', status, error: { ...error, code }, headers: told }))
}
