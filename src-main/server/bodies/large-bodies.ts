// Reads large bodies on a thread of its own, which is started by the first one and ended when none came for a while. Small ones are read
// where they are used: handing them over would take longer than reading them.

import { isUtf8 } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { scriptFile } from '#config/program-files.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { Soon } from '#core/soon.ts'
import { readNested, type BodyText, type NestedText, type ReadText } from '#dialect/request-body.ts'
import { tooLittle } from '#server/bodies/memory-guard.ts'

/** What the thread is sent. With `member` what stands in that member is read as a text of its own. */
export type BodyJob = { readonly bytes: Uint8Array; readonly member: string | undefined }

type Read = Omit<ReadText, 'text'>

/** What it answers, a part at a time; each but the first is asked for. */
export type BodyPart =
  | { readonly type: 'not-utf8' }
  | ({ readonly type: 'read' } & Read)
  | {
      readonly type: 'nested'
      readonly outer: unknown
      readonly inner: Read | undefined
      /** Of the inner text on the wire. */
      readonly byteLength: number
    }
  | { readonly type: 'text'; readonly piece: string }
  | { readonly type: 'end' }

/** What a body says, and its text, or that of its member. */
type BodyJobResult = { readonly first: BodyPart; readonly text: string }

/** With the length of the inner text on the wire. */
type MeasuredText = NestedText & { readonly byteLength: number }

type Job = BodyJob & { readonly resolve: (result: BodyJobResult | undefined) => void }

export type LargeBodiesOptions = {
  /** The thread's file; the program's own unless given. */
  readonly script?: URL
  /** For how long the thread is kept without work. */
  readonly idleMs?: number
  /** A thread that takes this long for one body hangs and is replaced. */
  readonly hangMs?: number
}

const DEFAULTS = {
  script: scriptFile('body-thread'),
  idleMs: 30_000,
  hangMs: 10_000,
} as const satisfies LargeBodiesOptions

/** What is shorter is read in some tens of milliseconds at most, whatever it is made of. */
const LARGE_BYTES = 1024 * 1024
/** A body, its text, what it says, and a copy of these. */
const MAX_HEAP_MB = 512
const YOUNG_HEAP_MB = 8

/** One body at a time; those that wait are bounded by what all bodies together may take. */
export class LargeBodies {
  readonly #options: Required<LargeBodiesOptions>
  readonly #waiting: Job[] = []
  #worker: Worker | undefined
  #running: Job | undefined
  /** Without work: ends the thread. With work: replaces one that hangs. */
  #watch: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: LargeBodiesOptions = {}) {
    this.#options = { ...DEFAULTS, ...options }
  }

  /** The text of a call's body. What is handed over cannot be used any more. */
  text(body: Buffer): Soon<BodyText | Refusal> {
    if (body.length > LARGE_BYTES) return this.#largeText(body)
    return isUtf8(body) ? body.toString('utf8') : notUtf8()
  }

  async #largeText(body: Buffer): Promise<BodyText | Refusal> {
    const result = await this.#hand({ bytes: body, member: undefined })
    if (isRefusal(result)) return result
    const { first, text } = result
    return first.type === 'read' ? { text, scan: first.scan, value: first.value } : notUtf8()
  }

  /** A body with another text in one of its members. */
  async nested(body: Buffer, member: string): Promise<MeasuredText | Refusal> {
    if (body.length <= LARGE_BYTES)
      return isUtf8(body) ? measured(readNested(body.toString('utf8'), member)) : notUtf8()
    const result = await this.#hand({ bytes: body, member })
    if (isRefusal(result)) return result
    const { first, text } = result
    if (first.type !== 'nested') return notUtf8()
    const { outer, inner, byteLength } = first
    return { value: outer, byteLength, inner: inner && { text, ...inner } }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { resolve } of this.#waiting.splice(0)) resolve(undefined)
    await this.#replace(undefined)
  }

  async #hand(job: BodyJob): Promise<BodyJobResult | Refusal> {
    if (this.#isClosed) return tooLittle()
    const { promise, resolve } = Promise.withResolvers<BodyJobResult | undefined>()
    this.#waiting.push({ ...job, resolve })
    this.#next()
    const result = await promise
    if (result === undefined) return tooLittle()
    // What was taken over in pieces becomes one piece of memory when it is first looked at. That has a turn of its own.
    result.text.charCodeAt(0)
    await nextTurn()
    return result
  }

  #next(): void {
    if (this.#running !== undefined) return
    clearTimeout(this.#watch)
    this.#running = this.#waiting.shift()
    if (this.#running === undefined) {
      this.#watch = setTimeout(() => void this.#replace(undefined), this.#options.idleMs).unref()
      return
    }
    const { bytes, member } = this.#running
    this.#watch = setTimeout(() => void this.#replace(undefined), this.#options.hangMs).unref()
    this.#worker ??= this.#start()
    const job: BodyJob = { bytes, member }
    // A part of a larger piece of memory is not ours to give away; it is copied.
    const isWhole = bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
    this.#worker.postMessage(job, isWhole ? [bytes.buffer] : [])
  }

  #start(): Worker {
    const worker = new Worker(this.#options.script, {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    })
    worker.unref()
    let first: BodyPart | undefined
    let text = ''
    worker.on('message', (part: BodyPart) => {
      if (worker !== this.#worker) return
      if (part.type === 'text') text += part.piece
      else if (part.type !== 'end') first = part
      else if (first !== undefined) {
        const result = { first, text }
        first = undefined
        text = ''
        return this.#finish(result)
      }
      // Others have their turn before the next part is taken over.
      setImmediate(() => worker.postMessage('next'))
    })
    const lose = () => {
      if (worker === this.#worker) void this.#replace(undefined)
    }
    worker.on('error', lose)
    worker.on('exit', lose)
    return worker
  }

  /** Ends the thread; whose body it had is told so. */
  async #replace(result: BodyJobResult | undefined): Promise<void> {
    clearTimeout(this.#watch)
    const worker = this.#worker
    this.#worker = undefined
    if (this.#running !== undefined) this.#finish(result)
    await worker?.terminate()
  }

  #finish(result: BodyJobResult | undefined): void {
    const job = this.#running
    this.#running = undefined
    job?.resolve(result)
    if (!this.#isClosed) this.#next()
  }
}

function measured(nested: NestedText): MeasuredText {
  return { ...nested, byteLength: Buffer.byteLength(nested.inner?.text ?? '') }
}

function notUtf8(): Refusal {
  return refuse('invalid_request', 'The body is not valid UTF-8.')
}
