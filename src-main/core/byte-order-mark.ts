// The mark that some programs write before a text in UTF-8. JSON has no place for it, and whoever reads JSON may pass over it.

const MARK = [0xef, 0xbb, 0xbf]

/** How many bytes of what came in pieces are the mark at its begin: 3 or 0. */
export function markLength(pieces: readonly Uint8Array[]): number {
  let seen = 0
  for (const piece of pieces) {
    for (const byte of piece.subarray(0, MARK.length - seen)) {
      if (byte !== MARK[seen]) return 0
      seen += 1
    }
    if (seen === MARK.length) return seen
  }
  return 0
}

/** What came in pieces, without the mark at its begin. What came in one piece is not copied. */
export function joinedWithoutMark(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces
  const all = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces)
  const mark = markLength(pieces)
  return mark === 0 ? all : all.subarray(mark)
}
