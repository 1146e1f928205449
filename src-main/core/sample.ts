// A part of texts that stands for all of them, where all of them are too much to be looked at. It depends on the texts alone, so
// that the same texts give the same part whenever they come.

/** Long enough that a cut changes little of what is counted in a piece. */
const PIECE_LENGTH = 8_192

export type Sample = {
  readonly texts: readonly string[]
  /** How many times as long as the sample the texts are. */
  readonly factor: number
}

/** The texts themselves, or about `most` UTF-16 units of them in pieces that lie evenly from the beginning to the end. Linear. */
export function sampleOf(texts: readonly string[], most: number): Sample {
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length <= most) return { texts, factor: 1 }
  const distance = (length * PIECE_LENGTH) / most
  const pieces: string[] = []
  let taken = 0
  let index = 0
  let offset = 0
  for (const text of texts) {
    const end = offset + text.length
    for (let from = Math.floor(index * distance); from < end; from = Math.floor(index * distance)) {
      const piece = text.slice(Math.max(0, from - offset), from + PIECE_LENGTH - offset)
      pieces.push(piece)
      taken += piece.length
      // The rest of this piece stands in the next text.
      if (from + PIECE_LENGTH > end) break
      index += 1
    }
    offset = end
  }
  return { texts: pieces, factor: length / taken }
}
