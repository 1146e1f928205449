// A worker thread that owns one database connection, seen from both sides: the main thread calls named operations, the
// thread answers them one after the other. SQLite never blocks the event loop that serves clients.

import { parentPort, receiveMessageOnPort, Worker, workerData, type ResourceLimits } from 'node:worker_threads'
import { errorCode } from '#store/files.ts'

export type Operations = Record<string, { readonly input: unknown; readonly output: unknown }>

type Call = { readonly id: number; readonly name: string; readonly input: unknown }
type Answer = {
  readonly id: number
  readonly output?: unknown
  readonly error?: string
  /** What the system or SQLite calls the error, such as `SQLITE_FULL`. */
  readonly code?: string
}
type Waiting = { resolve(output: unknown): void; reject(error: Error): void }

/** An error of the thread, with the code that it had there: an error that is sent from thread to thread loses it. */
class ThreadError extends Error {
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.name = 'ThreadError'
    this.code = code
  }
}

/** What a thread that was started ahead waits for: its first number is `BEGUN` when its first message is there. */
type Signal = Int32Array<SharedArrayBuffer>
const BEGUN = 1

export type ThreadAhead<Ops extends Operations> = { begin(given: unknown): DatabaseThread<Ops> }

/** For threads that only read: their rows live briefly. A thread that writes costs a call a seventh more with this little room. */
export const READER_LIMITS = { maxYoungGenerationSizeMb: 8 } as const satisfies ResourceLimits

export class DatabaseThread<Ops extends Operations> {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 1
  #failure: Error | undefined

  /** `given` is what the thread works on; a `Signal` where that is said later. */
  constructor(script: URL, given: unknown, resourceLimits: ResourceLimits = {}) {
    this.#worker = new Worker(script, { workerData: given, resourceLimits })
    this.#worker.on('message', (answer: Answer) => this.#settle(answer))
    this.#worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))))
    this.#worker.on('exit', () => this.#fail(new Error('the database thread has ended')))
  }

  /**
   * Starts a thread before it is known what it works on: it loads its program and then waits until `begin` is called, once. Until then it
   * keeps no process from its end.
   */
  static ahead<Ops extends Operations>(script: URL): ThreadAhead<Ops> {
    const signal: Signal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const thread = new DatabaseThread<Ops>(script, signal)
    thread.#worker.unref()
    return {
      begin(given) {
        thread.#worker.postMessage(given)
        thread.#worker.ref()
        Atomics.store(signal, 0, BEGUN)
        Atomics.notify(signal, 0)
        return thread
      },
    }
  }

  /** Whether it has ended, or never began: another one has to be started. */
  get hasEnded(): boolean {
    return this.#failure !== undefined
  }

  /** Runs one operation on the thread. Rejects with a ThreadError; the thread goes on after an error. */
  call<Name extends keyof Ops & string>(name: Name, input: Ops[Name]['input']): Promise<Ops[Name]['output']> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const call: Call = { id: this.#nextId++, name, input }
    return new Promise((resolve, reject) => {
      this.#waiting.set(call.id, { resolve, reject })
      this.#worker.postMessage(call)
    })
  }

  /** Ends the thread once its operation `close` is done. */
  async close(): Promise<void> {
    if (this.#failure !== undefined) return
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve))
    await this.call('close', undefined)
    await ended
  }

  /** Ends the thread in the middle of whatever it does: only for one that reads. What is being waited for is rejected. */
  async abandon(): Promise<void> {
    await this.#worker.terminate()
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (answer.error === undefined) waiting?.resolve(answer.output)
    else waiting?.reject(new ThreadError(answer.error, answer.code ?? ''))
  }

  #fail(error: Error): void {
    this.#failure ??= error
    for (const waiting of this.#waiting.values()) waiting.reject(error)
    this.#waiting.clear()
  }
}

type Handlers<Ops extends Operations> = {
  readonly [Name in keyof Ops]: (input: Ops[Name]['input']) => Ops[Name]['output']
}

/** The thread's side: what it works on. Waits for it where the thread was started ahead. */
export function beginning(): unknown {
  if (!(workerData instanceof Int32Array)) return workerData
  Atomics.wait(workerData, 0, 0)
  return parentPort === null ? undefined : receiveMessageOnPort(parentPort)?.message
}

/** The thread's side: answers calls until `close`, after whose handler the thread ends. */
export function serveOperations<Ops extends Operations>(handlers: Handlers<Ops>): void {
  const port = parentPort
  if (port === null) throw new Error('this file runs as a worker thread only')
  port.on('message', (call: Call) => {
    const handler = handlers[call.name]
    try {
      if (handler === undefined) throw new Error(`there is no operation '${call.name}'`)
      port.postMessage({ id: call.id, output: handler(call.input) } satisfies Answer)
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      port.postMessage({ id: call.id, error: text, code: errorCode(error) } satisfies Answer)
    }
    if (call.name === 'close') port.close()
  })
}
