// The text of a key: `key_`, 32 random base62 characters, 6 base62 characters of their CRC-32. The checksum lets a
// mistyped or made-up key be refused before any look-up and lets secret scanners recognise a leaked one.

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'key_'
const RANDOM_CHARS = 32
const CHECKSUM_CHARS = 6
const KEY_PATTERN = /^key_[0-9A-Za-z]{38}$/

/**
 * Makes a key from random bytes. 248 is the largest multiple of 62 in a byte: bytes above it are skipped so that every
 * character is equally likely. Throws a fault if the bytes run out (64 are far more than enough).
 */
export function makeKey(randomBytes: Uint8Array): string {
  let random = ''
  for (const byte of randomBytes) {
    if (random.length === RANDOM_CHARS) break
    if (byte < 248) random += ALPHABET.charAt(byte % 62)
  }
  if (random.length < RANDOM_CHARS) throw new RangeError('not enough random bytes for a key')
  return PREFIX + random + checksum(random)
}

/** Whether a text has the form of a key and its checksum fits. Says nothing about whether such a key exists. */
export function isWellFormedKey(text: string): boolean {
  if (!KEY_PATTERN.test(text)) return false
  const end = PREFIX.length + RANDOM_CHARS
  return checksum(text.slice(PREFIX.length, end)) === text.slice(end)
}

/** The last four characters, which tell keys apart in a list without giving them away. */
export function keyHint(key: string): string {
  return key.slice(-4)
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let count = 0; count < CHECKSUM_CHARS; count++) {
    digits = ALPHABET.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value >>> 0
})

/** CRC-32 (IEEE 802.3) of ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    crc = (CRC_TABLE[(crc ^ text.charCodeAt(index)) & 0xff] ?? 0) ^ (crc >>> 8)
  }
  return (crc ^ 0xffffffff) >>> 0
}
