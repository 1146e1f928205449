// UUID version 7 (RFC 9562): 48 bits of time, a counter, then random bits. Ids made by one generator sort in the order
// they were made, also within a millisecond and when the clock is set back, so that tables can be paged by id.

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const COUNTER_LIMIT = 0x1000

/** Returns a generator. `nowMs` is the wall clock, `random` fills eight bytes with randomness at each call. */
export function uuidV7Generator(nowMs: () => number, random: (bytes: Uint8Array) => void): () => string {
  const bytes = new Uint8Array(8)
  let lastMs = 0
  let counter = 0
  return () => {
    const now = nowMs()
    if (now > lastMs) {
      lastMs = now
      counter = 0
    } else if (++counter === COUNTER_LIMIT) {
      lastMs += 1
      counter = 0
    }
    random(bytes)
    return format(lastMs, counter, bytes)
  }
}

function format(timeMs: number, counter: number, random: Uint8Array): string {
  const hex = (byte: number | undefined) => HEX[(byte ?? 0) & 0xff] ?? ''
  const high = Math.floor(timeMs / 0x10000)
  const time = hex(high >>> 24) + hex(high >>> 16) + hex(high >>> 8) + hex(high)
  const low = hex(Math.floor(timeMs / 0x100)) + hex(timeMs)
  const variant = hex(((random[0] ?? 0) & 0x3f) | 0x80) + hex(random[1])
  const tail = hex(random[2]) + hex(random[3]) + hex(random[4]) + hex(random[5]) + hex(random[6]) + hex(random[7])
  return `${time}-${low}-${hex(0x70 | (counter >>> 8))}${hex(counter)}-${variant}-${tail}`
}

/** The smallest id that can have been made at an instant, for ranges of ids by time. */
export function uuidV7Floor(timeMs: number): string {
  return format(Math.max(0, timeMs), 0, new Uint8Array(8))
}
