// A QR code in a terminal. Loaded by the one command that prints it.

import { encode } from 'uqr'

/** Cameras need some light around it. */
const BORDER = 2
/** Black on white, whatever the colours of the terminal are. */
const COLOURS = '\u001b[38;5;16;48;5;231m'
const END = '\u001b[0m'

/** Two rows of the code in each line of text, because letters are twice as high as wide. Undefined where it is wider than `columns`. */
export function qrText(content: string, columns: number): string | undefined {
  const { data, size } = encode(content, { border: BORDER })
  if (size > columns) return undefined
  const isDark = (row: number, column: number) => data[row]?.[column] === true
  const lines = Array.from({ length: Math.ceil(size / 2) }, (_, line) =>
    Array.from({ length: size }, (_row, column) => block(isDark(line * 2, column), isDark(line * 2 + 1, column))),
  )
  return lines.map((blocks) => `${COLOURS}${blocks.join('')}${END}`).join('\n')
}

function block(isUpperDark: boolean, isLowerDark: boolean): string {
  if (isUpperDark) return isLowerDark ? '█' : '▀'
  return isLowerDark ? '▄' : ' '
}
