// Amazon's binary event stream as server-sent events: each frame becomes an event with its name, so that everybody behind this reads
// one kind of stream. An exception on a frame is an event with the exception's name.

import { EventStreamCodec } from '@smithy/core/event-streams'
import { UpstreamFailure } from '#core/failure.ts'

export const EVENT_STREAM = 'application/vnd.amazon.eventstream'

/** Amazon allows no more in one frame. */
const MAX_FRAME_BYTES = 24 * 1024 * 1024
const LENGTH_BYTES = 4
/** The lengths, their checksum and that of the frame. */
const MIN_FRAME_BYTES = 16

const CODEC = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text),
)

export class EventStreamText {
  #chunks: Buffer[] = []
  #length = 0

  /** Set when something came that is no frame; nothing behind it is read. */
  failure: UpstreamFailure | undefined

  /** The events that a chunk completes, before what may be no frame. */
  push(chunk: Buffer): Buffer {
    if (this.failure !== undefined) return Buffer.alloc(0)
    this.#chunks.push(chunk)
    this.#length += chunk.length
    const events: string[] = []
    try {
      for (let frame = this.#nextFrame(); frame !== undefined; frame = this.#nextFrame()) events.push(eventOf(frame))
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error
      this.failure = error
    }
    return Buffer.from(events.join(''))
  }

  #nextFrame(): Buffer | undefined {
    if (this.#length < LENGTH_BYTES) return undefined
    if (this.#chunks[0] === undefined || this.#chunks[0].length < LENGTH_BYTES) this.#join()
    const size = this.#chunks[0]?.readUInt32BE(0) ?? 0
    if (size < MIN_FRAME_BYTES || size > MAX_FRAME_BYTES) throw malformed()
    if (this.#length < size) return undefined
    const bytes = this.#join()
    this.#chunks = [bytes.subarray(size)]
    this.#length -= size
    return bytes.subarray(0, size)
  }

  #join(): Buffer {
    const [only] = this.#chunks
    const bytes = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks)
    this.#chunks = [bytes]
    return bytes
  }
}

function eventOf(frame: Buffer): string {
  const { headers, body } = decode(frame)
  const header = (name: string) => {
    const value = headers[name]?.value
    return typeof value === 'string' ? value.replaceAll(/[\r\n]/g, '') : undefined
  }
  const name = header(':exception-type') ?? header(':error-code') ?? header(':event-type') ?? ''
  const message = header(':error-message')
  const text = message === undefined ? Buffer.from(body).toString('utf8') : JSON.stringify({ message })
  // An error that is no exception has a code of its own, or none; here it ends like all others.
  const isError = /^(?:error|exception)$/.test(header(':message-type') ?? '')
  const event = isError && !/(?:Exception|Error)$/.test(name) ? `${name}Error` : name
  return `event: ${event}\ndata: ${text.replaceAll(/\r\n|[\r\n]/g, '\ndata: ')}\n\n`
}

/** The library throws where a checksum is wrong. */
function decode(frame: Buffer) {
  try {
    // It looks at the memory behind what it is given: a header that is longer than its frame would be read out of what lies there.
    return CODEC.decode(new Uint8Array(frame))
  } catch {
    throw malformed()
  }
}

function malformed(): UpstreamFailure {
  return new UpstreamFailure('malformed', 'The provider sent a stream that is not made of whole frames.')
}
