// Frames of Amazon's event stream, written by hand after its published form, so that nothing of it is code of those who are tested.

import { crc32 } from 'node:zlib'

/** The type of a header whose value is text. */
const TEXT = 7

/** A frame of Converse: its name is that of the event or of the exception. */
export function frame(name: string, payload: unknown, type: 'event' | 'exception' = 'event'): Buffer {
  return textFrame(name, JSON.stringify(payload), type)
}

/** The same with exactly this text in it. */
export function textFrame(name: string, payload: string, type: 'event' | 'exception' = 'event'): Buffer {
  return frameWith({ [`:${type}-type`]: name, ':content-type': 'application/json', ':message-type': type }, payload)
}

/** A frame with these headers, in this order. */
export function frameWith(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const written = Object.entries(headers).map(([name, value]) => header(name, TEXT, sized(value)))
  return frameOf(Buffer.concat(written), Buffer.from(payload))
}

/** A frame of exactly these bytes, whose lengths and checksums are right. */
export function frameOf(headers: Buffer, payload: Buffer): Buffer {
  const prelude = preludeOf(16 + headers.length + payload.length, headers.length)
  return sealed(Buffer.concat([prelude, headers, payload]))
}

/** A header of any type, whose value is in the bytes of that type. */
export function header(name: string, type: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([type]), value])
}

/** The two lengths and their checksum, as a frame begins. */
export function preludeOf(length: number, headersLength: number): Buffer {
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32BE(length, 0)
  lengths.writeUInt32BE(headersLength, 4)
  return sealed(lengths)
}

/** The bytes with their checksum behind them. */
export function sealed(bytes: Buffer): Buffer {
  const end = Buffer.alloc(4)
  end.writeUInt32BE(crc32(bytes))
  return Buffer.concat([bytes, end])
}

function sized(value: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(Buffer.byteLength(value))
  return Buffer.concat([length, Buffer.from(value)])
}
