import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { APP_SIZES, drawIcons, ICONS_DIR, opacities, TRAY_COLOURS, TRAY_STATES, trayDrawing } from './draw.ts'

const drawn = drawIcons()
const pairs = TRAY_STATES.flatMap((one, index) => TRAY_STATES.slice(index + 1).map((other) => [one, other] as const))

describe('the files of the icons', () => {
  it('are what the drawings give, and nothing else lies beside them', () => {
    const present = readdirSync(ICONS_DIR, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.svg'))
      .map((entry) => relative(ICONS_DIR, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    expect(present.toSorted()).toEqual([...drawn.keys()].toSorted())
    const changed = [...drawn].filter(([name, bytes]) => !readFileSync(join(ICONS_DIR, name)).equals(bytes))
    expect(changed.map(([name]) => name)).toEqual([])
  })

  it('have the size that their name says', () => {
    for (const size of APP_SIZES) {
      const png = readFileSync(join(ICONS_DIR, 'app', `${size}x${size}.png`))
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([size, size])
    }
  })

  it('hold every size in the .ico, the largest as 0', () => {
    const ico = readFileSync(join(ICONS_DIR, 'farebox.ico'))
    const count = ico.readUInt16LE(4)
    const sides = Array.from({ length: count }, (_, index) => ico.readUInt8(6 + 16 * index))
    expect(sides).toEqual([16, 20, 24, 32, 48, 64, 128, 0])
    for (let index = 0; index < count; index++) {
      const offset = ico.readUInt32LE(6 + 16 * index + 12)
      expect(ico.subarray(offset + 1, offset + 4).toString('latin1')).toBe('PNG')
    }
  })

  it('fill the .icns to its stated length', () => {
    const icns = readFileSync(join(ICONS_DIR, 'farebox.icns'))
    expect(icns.subarray(0, 4).toString('latin1')).toBe('icns')
    expect(icns.readUInt32BE(4)).toBe(icns.length)
    let offset = 8
    while (offset < icns.length) offset += icns.readUInt32BE(offset + 4)
    expect(offset).toBe(icns.length)
  })
})

describe('the marks of the tray', () => {
  it.each(pairs)('tell %s from %s by shape at 16 pixels in one colour', (one, other) => {
    const first = opacities(trayDrawing(one, '#000'), 16)
    const second = opacities(trayDrawing(other, '#000'), 16)
    const different = first.filter((opacity, index) => Math.abs(opacity - (second[index] ?? 0)) > 128)
    // A tenth of what is drawn is what an eye sees at a glance.
    expect(different.length).toBeGreaterThan(first.filter((opacity) => opacity > 128).length / 10)
  })

  it.each(TRAY_STATES)('draw %s sharply enough at 16 pixels', (state) => {
    const all = opacities(trayDrawing(state, '#000'), 16)
    const inked = all.filter((opacity) => opacity > 0)
    expect(inked.length).toBeGreaterThan(80)
    expect(inked.filter((opacity) => opacity > 200).length / inked.length).toBeGreaterThan(0.6)
  })

  it.each(TRAY_STATES)('show the colour of %s on light and on dark taskbars', (state) => {
    for (const background of ['#ffffff', '#1b1b1b']) {
      expect(contrast(TRAY_COLOURS[state], background)).toBeGreaterThan(3)
    }
  })
})

/** As WCAG defines it. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string): number {
  const channel = (start: number) => {
    const value = Number.parseInt(colour.slice(start, start + 2), 16) / 255
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}
