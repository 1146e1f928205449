// UUID version 7 (RFC 9562): 48 bits of time, a counter, then random bits. Ids made by one generator sort in the order
// they were made, also within a millisecond and when the clock is set back, so that tables can be paged by id.

const HEX = '0123456789abcdef'
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

/** The characters of the id that is being made, as their codes: put together by pieces it would leave twenty texts behind. */
const codes = Array.from('00000000-0000-7000-8000-000000000000', (character) => character.charCodeAt(0))

function format(timeMs: number, counter: number, random: Uint8Array): string {
  const high = Math.floor(timeMs / 0x10000)
  for (let byte = 0; byte < 4; byte++) put(2 * byte, high >>> (24 - 8 * byte))
  put(9, Math.floor(timeMs / 0x100))
  put(11, timeMs)
  put(14, 0x70 | (counter >>> 8))
  put(16, counter)
  put(19, ((random[0] ?? 0) & 0x3f) | 0x80)
  put(21, random[1] ?? 0)
  for (let byte = 2; byte < 8; byte++) put(20 + 2 * byte, random[byte] ?? 0)
  return String.fromCharCode(...codes)
}

/** Writes the last eight bits of a number as two digits. */
function put(at: number, value: number): void {
  codes[at] = digit(value >>> 4)
  codes[at + 1] = digit(value)
}

function digit(value: number): number {
  return HEX.charCodeAt(value & 0xf)
}

/** When an id was made, in milliseconds since 1970. */
export function uuidV7Time(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}
