// A QR code as one path of an SVG.

import { encode } from 'uqr'

/** Cameras need some light around it. */
const BORDER = 2

/** `size` is the number of its modules on a side, which is the unit of the path. */
export function qrPath(content: string): { readonly size: number; readonly path: string } {
  const { data, size } = encode(content, { ecc: 'M', border: BORDER })
  const bars = data.flatMap((row, y) => barsOf(row).map(({ x, width }) => `M${x} ${y}h${width}v1h-${width}z`))
  return { size, path: bars.join('') }
}

/** Dark modules beside each other are one bar, so that no line shows between them. */
function barsOf(row: readonly boolean[]): { readonly x: number; readonly width: number }[] {
  const bars: { x: number; width: number }[] = []
  for (const [x, isDark] of row.entries()) {
    if (!isDark) continue
    const last = bars.at(-1)
    if (last !== undefined && last.x + last.width === x) last.width += 1
    else bars.push({ x, width: 1 })
  }
  return bars
}
