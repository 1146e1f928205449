// Reads the bodies of requests, on every route: within what the route allows, counted against the budget of all bodies as they arrive,
// and measured before anything parses them. Whoever is not known yet has little time for little.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { joinedWithoutMark, markLength } from '#core/byte-order-mark.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { takesForms } from '#dialect/dialects.ts'
import { JsonMeter, type JsonBounds, type JsonExcess } from '#dialect/json-meter.ts'
import { finishFirst } from '#server/bodies/finish-first.ts'
import type { ReceivedForm } from '#server/bodies/form-reader.ts'
import { release } from '#server/bodies/garbage.ts'
import { tooLittle, type MemoryGuard } from '#server/bodies/memory-guard.ts'
import type { Spools } from '#server/bodies/spool.ts'
import { notJson, RefusedBody } from '#server/http/refusals.ts'

/**
 * Many times what a conversation that fills the largest context has. Parsing so much, and reading what was parsed, takes some tens of
 * milliseconds at most.
 */
export const BODY_BOUNDS: JsonBounds = {
  depth: 64,
  pieces: 100_000,
  members: 50_000,
  outermost: 1000,
  values: 500_000,
}

/** A call's body of this length can break no bound but that of depth, which its reader looks at; most bodies are so short. */
const SMALL_BYTES = 64 * 1024
/** Of one body in one turn of the loop. Everybody else's call takes several turns, each of which may have such a part in it. */
const MAX_TURN_BYTES = 128 * 1024
const FORM_TYPE = 'multipart/form-data'
/** For a body that anybody may send. */
const STRANGERS_MS = 10_000

declare module 'fastify' {
  interface FastifyRequest {
    /** Where its answer goes: what its body takes is given back when that has ended. */
    outgoing: ServerResponse | null
    /** Of how many objects, lists and texts its body is made; 0 where nobody counted because there can be only few. */
    bodyParts: number
  }
}

/** How many bytes a head says that its body has; undefined where it does not say, null where there is no body. */
export function announcedBytes({ headers }: Pick<IncomingMessage, 'headers'>): number | undefined | null {
  const length = headers['content-length']
  if (length !== undefined) return length === '0' ? null : Number(length)
  return headers['transfer-encoding'] === undefined ? null : undefined
}

/** Makes the server read bodies of JSON, each as a buffer, forms where a route takes them, and no others. */
export function readBodies(app: FastifyInstance, deps: BodyDeps): void {
  app.decorateRequest('outgoing', null)
  app.decorateRequest('bodyParts', 0)
  app.removeAllContentTypeParsers()
  readForms(app, deps)
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: Readable, done) => {
    const { caller, visitor, outgoing } = request
    const reading = new Reading({
      bodies: deps.memory.bodies,
      mostBytes: request.routeOptions.bodyLimit,
      announced: announcedBytes(request) ?? undefined,
      isOfCall: caller !== null,
      done(result, parts) {
        request.bodyParts = parts
        if (Buffer.isBuffer(result)) done(null, result)
        else done(new RefusedBody(result))
      },
    })
    outgoing?.once('close', () => reading.forget())
    reading.read(payload, caller === null && visitor === null ? STRANGERS_MS : undefined)
  })
}

type BodyDeps = { readonly memory: Pick<MemoryGuard, 'bodies'>; readonly spools: Spools }

/** Forms are read on the routes whose format has them, and by nobody but those with a key. */
function readForms(app: FastifyInstance, { spools }: BodyDeps): void {
  app.addContentTypeParser(
    FORM_TYPE,
    async (request: FastifyRequest, payload: IncomingMessage): Promise<ReceivedForm> => {
      const { format } = request.routeOptions.config
      if (format === undefined || !takesForms(format) || request.caller === null) throw new RefusedBody(notJson())
      const { readForm } = await import('#server/bodies/form-reader.ts')
      const received = await readForm(payload, { spools, keyId: request.caller.key.id })
      if (isRefusal(received)) throw new RefusedBody(received)
      return received
    },
  )
}

/** Whether a request brings a form, which is not kept in memory. */
export function bringsForm({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['content-type']?.toLowerCase().startsWith(FORM_TYPE) === true
}

type ReadingOptions = Pick<MemoryGuard, 'bodies'> & {
  readonly mostBytes: number
  /** How long the body is by its head, which need not say. */
  readonly announced: number | undefined
  /** Whether whoever sends it has a key. */
  readonly isOfCall: boolean
  /** `parts`: of how many objects, lists and texts it is made; 0 where nobody counted. */
  readonly done: (result: Buffer | Refusal, parts: number) => void
}

/** One body on its way in. */
export class Reading {
  readonly #options: ReadingOptions
  readonly #share: ReturnType<MemoryGuard['bodies']['open']>
  readonly #meter: JsonMeter | undefined
  #isOver = false
  #chunks: Buffer[] = []
  #length = 0
  /** What was taken in the present turn of the loop. */
  #inTurn = 0
  #timer: NodeJS.Timeout | undefined
  /** Stops the rest of a body that is refused. */
  #stop: () => void = () => undefined
  /** Of a sender who is known. */
  #payload: Readable | undefined

  constructor(options: ReadingOptions) {
    this.#options = options
    this.#share = options.bodies.open(() => this.#end(tooLittle()))
    const { announced, isOfCall } = options
    const isSmall = isOfCall && announced !== undefined && announced <= SMALL_BYTES
    this.#meter = isSmall ? undefined : new JsonMeter(BODY_BOUNDS)
  }

  /** It must be there within `patienceMs`, where there is such a limit. */
  read(payload: Readable, patienceMs: number | undefined): void {
    const { announced, mostBytes } = this.#options
    if (announced !== undefined && announced > mostBytes) return this.#end(tooLarge())
    const take = (chunk: Buffer) => this.#take(chunk, payload)
    const broken = () => this.#end(refuse('invalid_request', 'The body is not as long as its content-length says.'))
    const whole = () => {
      if (this.#length <= MAX_TURN_BYTES) return this.#end(joinedWithoutMark(this.#chunks))
      payload.off('error', broken).off('close', broken)
      void this.#join()
    }
    const late = () => this.#end(refuse('invalid_request', 'The body took too long to arrive.'))
    if (patienceMs !== undefined) this.#timer = setTimeout(late, patienceMs).unref()
    payload.on('data', take).on('end', whole).on('error', broken).on('close', broken)
    this.#stop = () => payload.off('data', take).off('end', whole).off('error', broken).off('close', broken).pause()
    if (patienceMs === undefined) this.#payload = payload
  }

  /** Its answer has ended. */
  forget(): void {
    this.#share.end()
  }

  #take(chunk: Buffer, payload: Readable): void {
    this.#length += chunk.length
    if (this.#length > this.#options.mostBytes) return this.#end(tooLarge())
    if (!this.#share.add(chunk.length)) return this.#end(tooLittle())
    const excess = this.#meter?.push(chunk)
    if (excess !== undefined) return this.#end(refusalOfExcess(excess))
    this.#chunks.push(chunk)
    this.#inTurn += chunk.length
    if (this.#inTurn >= MAX_TURN_BYTES) this.#leaveTurn(payload)
  }

  /** The system hands over megabytes at a time where they are there. */
  #leaveTurn(payload: Readable): void {
    payload.pause()
    setImmediate(() => {
      this.#inTurn = 0
      if (!this.#isOver) payload.resume()
    })
  }

  /** Puts a long body together, a part in each turn. */
  async #join(): Promise<void> {
    this.#share.complete()
    let mark = markLength(this.#chunks)
    const all = Buffer.allocUnsafeSlow(this.#length - mark)
    let to = 0
    let turnEnd = MAX_TURN_BYTES
    for (const chunk of this.#chunks) {
      const from = Math.min(mark, chunk.length)
      mark -= from
      to += chunk.copy(all, to, from)
      release(chunk)
      if (to < turnEnd) continue
      turnEnd = to + MAX_TURN_BYTES
      await nextTurn()
    }
    this.#end(all)
  }

  #end(result: Buffer | Refusal): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#chunks = []
    clearTimeout(this.#timer)
    if (Buffer.isBuffer(result)) {
      this.#share.complete()
      return this.#done(result)
    }
    this.#stop()
    this.#share.end()
    if (this.#payload === undefined || this.#payload.destroyed) return this.#done(result)
    const mayTake = (bytes: number) => (this.#length += bytes) <= this.#options.mostBytes
    finishFirst(this.#payload, mayTake, () => this.#done(result))
  }

  #done(result: Buffer | Refusal): void {
    this.#options.done(result, this.#meter?.pieces ?? 0)
  }
}

function tooLarge(): Refusal {
  return refuse('request_too_large', 'The body is larger than Farebox accepts.')
}

function refusalOfExcess(excess: JsonExcess): Refusal {
  if (excess === 'too-deep') return refuse('invalid_request', 'The body is nested too deeply.')
  const { pieces, members, values } = BODY_BOUNDS
  const most = `${pieces} objects, lists and texts, ${members} members and ${values} values in all`
  return refuse('request_too_large', `The body is made of too many parts: at most ${most}.`)
}
