// Reads a form with files as it comes: its fields into a bounded memory, its files into a spool. Loaded with the first form.

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import { refuse, type Refusal } from '#core/refusal.ts'
import type { UploadedForm, FormPart } from '#dialect/form.ts'
import { boundaryOf, FormParser, MalformedForm, type FormEvent, type PartHead } from '#dialect/form-parser.ts'
import type { Arrival } from '#server/bodies/arrivals.ts'
import { finishFirst } from '#server/bodies/finish-first.ts'
import { RefusedBody } from '#server/http/refusals.ts'
import { SpoolError, type Spool, type SpoolProblem, type Spools } from '#server/bodies/spool.ts'

export type ReceivedForm = {
  readonly form: UploadedForm
  /** On the wire. */
  readonly byteLength: number
  /** Gives back what is kept of it. */
  close(): Promise<void>
}

const MAX_PARTS = 64
const MAX_FIELD_BYTES = 256 * 1024
/** Of a field, before they are put together. */
const MAX_PIECES = 1024
/** What the heads of parts and the lines between them may come to beside fields and files. */
const FRAME_BYTES = 1024 * 1024

/** Reads the body of a request, or refuses it; then nothing of it is kept any more. */
export async function readForm(
  payload: IncomingMessage,
  { spools, keyId }: { readonly spools: Spools; readonly keyId: string },
): Promise<ReceivedForm | Refusal> {
  const { 'content-type': type = '', 'content-length': announced = '0' } = payload.headers
  const boundary = boundaryOf(type)
  if (boundary === undefined) return refuse('invalid_request', "The form's content-type names no boundary.")
  if (Number(announced) > mostBytes(spools)) return tooLarge(spools)
  let spool: Spool | undefined
  try {
    spool = await spools.open(keyId)
    const reading = new FormReading(spool, boundary, mostBytes(spools))
    const form = await reading.read(payload)
    return { form, byteLength: reading.byteLength, close: spool.close.bind(spool) }
  } catch (error) {
    await spool?.close()
    const refusal = refusalOf(error, payload, spools)
    await new Promise<void>((resolve) => finishFirst(payload, () => true, resolve))
    return refusal
  }
}

function mostBytes(spools: Spools): number {
  return spools.mostBytes + FRAME_BYTES
}

/** Its methods throw MalformedForm, SpoolError and RefusedBody. */
/**
 * What comes of an upload, until its end or until it has to give its place up. Whoever is refused is let finish, so that the payload stays open.
 * What is waited for is that something came, and not what came: a promise of a chunk keeps it for longer than it is needed.
 */
async function* chunksOf(payload: IncomingMessage, arrival: Arrival): AsyncGenerator<Buffer> {
  let wake: () => void = () => undefined
  let end: { readonly error: Error | null | undefined } | undefined
  const onReadable = () => wake()
  payload.on('readable', onReadable)
  const unwatch = finished(payload, { writable: false }, (error) => {
    end = { error }
    wake()
  })
  try {
    for (;;) {
      const bytes = payload.read() as Buffer | null
      if (bytes !== null) yield bytes
      else if (end !== undefined) {
        if (end.error) throw end.error
        return
      } else {
        const next = await arrival.orGaveWay(new Promise<void>((resolve) => (wake = resolve)))
        if (next === 'gave-way') throw new SpoolError(next)
      }
    }
  } finally {
    unwatch()
    payload.off('readable', onReadable)
  }
}

class FormReading {
  readonly #spool: Spool
  readonly #boundary: string
  readonly #mostBytes: number
  readonly #parts: FormPart[] = []
  #part: ComingPart | undefined
  #fieldBytes = 0
  byteLength = 0

  constructor(spool: Spool, boundary: string, mostBytes: number) {
    this.#spool = spool
    this.#boundary = boundary
    this.#mostBytes = mostBytes
  }

  async read(payload: IncomingMessage): Promise<UploadedForm> {
    const parser = new FormParser(this.#boundary)
    const { arrival } = this.#spool
    for await (const bytes of chunksOf(payload, arrival)) {
      arrival.note(bytes.length)
      this.byteLength += bytes.length
      if (this.byteLength > this.#mostBytes) throw new SpoolError('too-large')
      for (const event of parser.push(bytes)) await this.#take(event)
    }
    if (!parser.isOver) throw new MalformedForm('the form has no end')
    arrival.arrived()
    // Nobody outside knows it, so that it stands in none of the files.
    return { parts: this.#parts, boundary: `farebox-${randomBytes(24).toString('hex')}` }
  }

  async #take(event: FormEvent): Promise<void> {
    if (event.type === 'head') this.#part = this.#begin(event)
    else if (event.type === 'piece') await this.#part?.add(event.bytes)
    else if (this.#part !== undefined) this.#parts.push(this.#part.end())
  }

  #begin({ name, fileName, mediaType }: PartHead): ComingPart {
    if (this.#parts.length >= MAX_PARTS) {
      throw new RefusedBody(refuse('invalid_request', `The form has more than ${MAX_PARTS} parts.`))
    }
    if (fileName === undefined) return this.#field(name)
    const writing = this.#spool.begin()
    return {
      add: (bytes) => writing.add(bytes),
      end: () => ({ type: 'file', name, fileName, mediaType: mediaType ?? '', ...writing.end() }),
    }
  }

  #field(name: string): ComingPart {
    let pieces: Buffer[] = []
    return {
      add: (bytes) => {
        this.#fieldBytes += bytes.length
        if (this.#fieldBytes > MAX_FIELD_BYTES) {
          const message = `The fields of the form are longer than ${MAX_FIELD_BYTES} bytes.`
          throw new RefusedBody(refuse('request_too_large', message, { param: name }))
        }
        // What it came in may be a piece of a file as well.
        pieces.push(Buffer.from(bytes))
        // Each costs a hundred bytes, however short it is.
        if (pieces.length > MAX_PIECES) pieces = [Buffer.concat(pieces)]
      },
      end: () => ({ type: 'field', name, value: textOf(name, Buffer.concat(pieces)) }),
    }
  }
}

type ComingPart = { add(bytes: Buffer): void | Promise<void>; end(): FormPart }

function textOf(name: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new RefusedBody(refuse('invalid_request', `'${name}' is not valid UTF-8.`, { param: name }))
  }
}

function tooLarge({ mostBytes: most }: Spools): Refusal {
  return refuse('request_too_large', `An upload may have at most ${most} bytes.`)
}

const RETRY_SECONDS = 5
const SAYS: Readonly<Record<Exclude<SpoolProblem, 'too-large'>, string>> = {
  'no-room': 'Too many uploads are under way.',
  'no-disk': 'There is no room on the disk for this upload.',
  'gave-way': 'Too many uploads are under way, and this one hardly came on.',
}

function refusalOf(error: unknown, payload: IncomingMessage, spools: Spools): Refusal {
  if (error instanceof RefusedBody) return error.refusal
  if (error instanceof MalformedForm) return refuse('invalid_request', `The form cannot be read: ${error.message}.`)
  if (error instanceof SpoolError) {
    if (error.problem === 'too-large') return tooLarge(spools)
    const message = `${SAYS[error.problem]} Retry in ${RETRY_SECONDS} s.`
    return refuse('overloaded', message, { retryAfterSeconds: RETRY_SECONDS })
  }
  if (payload.errored === null && !payload.destroyed) throw error
  return refuse('invalid_request', 'The body is not as long as its content-length says.')
}
