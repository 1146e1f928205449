// Reads how large an image is from the first bytes of its file: PNG, GIF, WebP and JPEG. It believes the bytes rather than
// the media type, and reads no more of the file than it needs.

export type ImageSize = { readonly width: number; readonly height: number }

/** Enough for every header but JPEG's. */
const HEAD_BYTES = 32
/** Cameras put previews and profiles before a JPEG's size; behind this many bytes nobody looks for it. */
const JPEG_HEAD_BYTES = 256 * 1024

/** undefined for a file that is none of these, or whose size is not where it should be. */
export function imageSize(base64: string): ImageSize | undefined {
  const head = decodeStart(base64, HEAD_BYTES)
  if (head.length < HEAD_BYTES) return undefined
  const size = pngSize(head) ?? gifSize(head) ?? webpSize(head) ?? jpegSize(head, base64)
  return size === undefined || size.width === 0 || size.height === 0 ? undefined : size
}

function decodeStart(base64: string, bytes: number): Buffer {
  return Buffer.from(base64.slice(0, Math.ceil(bytes / 3) * 4), 'base64')
}

function startsWith(head: Buffer, text: string, at = 0): boolean {
  return head.toString('latin1', at, at + text.length) === text
}

function pngSize(head: Buffer): ImageSize | undefined {
  if (!startsWith(head, '\x89PNG\r\n\x1a\n') || !startsWith(head, 'IHDR', 12)) return undefined
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
}

function gifSize(head: Buffer): ImageSize | undefined {
  if (!startsWith(head, 'GIF87a') && !startsWith(head, 'GIF89a')) return undefined
  return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) }
}

/** The three forms of WebP: lossy, lossless, and extended by a header of its own. */
function webpSize(head: Buffer): ImageSize | undefined {
  if (!startsWith(head, 'RIFF') || !startsWith(head, 'WEBP', 8)) return undefined
  if (startsWith(head, 'VP8 ', 12)) {
    return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
  }
  if (startsWith(head, 'VP8L', 12)) {
    const bits = head.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (startsWith(head, 'VP8X', 12)) return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 }
  return undefined
}

/** Goes from segment to segment until the one that begins a frame. */
function jpegSize(head: Buffer, base64: string): ImageSize | undefined {
  if (!startsWith(head, '\xff\xd8\xff')) return undefined
  const bytes = decodeStart(base64, JPEG_HEAD_BYTES)
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1)
    if (isFrameMarker(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    // A segment may be preceded by any number of fill bytes, and some markers stand alone.
    if (marker === 0xff) at += 1
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** SOF0 to SOF15 but for the three numbers among them that mean something else. */
function isFrameMarker(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}
