// How long a recording can be, and how long it probably is, from its size: nobody plays it here. Only a plain WAV file says it itself.

import type { FormFile } from '#dialect/form.ts'

/** The lowest rate at which codecs for speech are used: 4 kbit/s. */
const MIN_BYTES_PER_SECOND = 500
/** 32 kbit/s, as calls and voice notes have at least. */
const LIKELY_BYTES_PER_SECOND = 4000
const WAV_HEAD_BYTES = 36
const PCM = 1

/** In seconds, rounded up. */
export type AudioLength = { readonly most: number; readonly likely: number }

export function audioLength({ byteLength, head }: Pick<FormFile, 'byteLength' | 'head'>): AudioLength {
  const told = wavBytesPerSecond(head)
  return {
    most: Math.ceil(byteLength / (told ?? MIN_BYTES_PER_SECOND)),
    likely: Math.ceil(byteLength / (told ?? LIKELY_BYTES_PER_SECOND)),
  }
}

/** Of samples that are not compressed; undefined for everything else, and for a head that does not agree with itself. */
function wavBytesPerSecond(head: Uint8Array): number | undefined {
  if (head.length < WAV_HEAD_BYTES) return undefined
  const text = (from: number) => Buffer.from(head.subarray(from, from + 4)).toString('latin1')
  if (text(0) !== 'RIFF' || text(8) !== 'WAVE' || text(12) !== 'fmt ') return undefined
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const channels = view.getUint16(22, true)
  const rate = view.getUint32(24, true)
  const bytesPerSecond = view.getUint32(28, true)
  const bits = view.getUint16(34, true)
  const isPlain = view.getUint16(20, true) === PCM && bytesPerSecond === (rate * channels * bits) / 8
  const isUsual = rate <= 192_000 && channels <= 8 && bits <= 32
  return isPlain && isUsual && bytesPerSecond >= MIN_BYTES_PER_SECOND ? bytesPerSecond : undefined
}
