// Renders the icons from their drawings in resources/icons. The files that the program and its packages use are made here and
// committed, so that nothing has to be rendered where Farebox is built; a test renders them again and compares.

import { Resvg } from '@resvg/resvg-js'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ICONS_DIR = join(import.meta.dirname, '..', '..', 'resources', 'icons')

export const APP_SIZES = [16, 20, 22, 24, 32, 48, 64, 128, 256, 512, 1024] as const
export const TRAY_SIZES = [16, 20, 22, 24, 32, 48, 64] as const
const WINDOWS_SIZES = [16, 20, 24, 32, 48, 64] as const
const APP_ICO_SIZES = [16, 20, 24, 32, 48, 64, 128, 256] as const

/** Each is seen on light and on dark taskbars alike; what they mean is told by the shape. */
export const TRAY_COLOURS = { running: '#1f8a63', stopped: '#76808c', error: '#d63c3c', low: '#b07908' } as const
export type TrayState = keyof typeof TRAY_COLOURS
export const TRAY_STATES = ['running', 'stopped', 'error', 'low'] as const satisfies readonly TrayState[]

/** The types of an .icns file that hold a PNG of a size; a size may stand for itself and for half of it on a dense screen. */
const ICNS_TYPES = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
  ['ic10', 1024],
  ['ic11', 32],
  ['ic12', 64],
  ['ic13', 256],
  ['ic14', 512],
] as const

/** Every file by its path below resources/icons. */
export function drawIcons(): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  for (const size of APP_SIZES) files.set(`app/${size}x${size}.png`, render(drawing('farebox'), size))
  files.set('farebox.ico', ico(APP_ICO_SIZES.map((size) => render(drawing('farebox'), size))))
  files.set('farebox.icns', icns())
  for (const state of TRAY_STATES) drawTray(state, files)
  return files
}

function drawTray(state: TrayState, files: Map<string, Buffer>): void {
  const coloured = trayDrawing(state, TRAY_COLOURS[state])
  for (const size of TRAY_SIZES) files.set(`tray/${state}-${size}.png`, render(coloured, size))
  // The name without a size is what Electron is given; it finds the dense one beside it.
  files.set(`tray/${state}.png`, render(coloured, 24))
  files.set(`tray/${state}@2x.png`, render(coloured, 48))
  files.set(`tray/${state}.ico`, ico(WINDOWS_SIZES.map((size) => render(coloured, size))))
  // macOS colours these itself: only how opaque they are counts.
  files.set(`tray/${state}Template.png`, render(trayDrawing(state, '#000'), 16))
  files.set(`tray/${state}Template@2x.png`, render(trayDrawing(state, '#000'), 32))
}

export function trayDrawing(state: TrayState, colour: string): string {
  return drawing(`tray-${state}`).replaceAll('#000', colour)
}

function drawing(name: string): string {
  return readFileSync(join(ICONS_DIR, `${name}.svg`), 'utf8')
}

export function render(svg: string, size: number): Buffer {
  return new Resvg(svg, { fitTo: { mode: 'width', value: size } }).render().asPng()
}

/** How opaque each pixel is, from 0 to 255, row by row. */
export function opacities(svg: string, size: number): number[] {
  const { pixels } = new Resvg(svg, { fitTo: { mode: 'width', value: size } }).render()
  return Array.from({ length: size * size }, (_, index) => pixels[index * 4 + 3] ?? 0)
}

/** An .ico of PNGs: a directory with an entry of 16 bytes for each, and the files behind it. */
function ico(images: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(6 + 16 * images.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(images.length, 4)
  let offset = head.length
  for (const [index, image] of images.entries()) {
    const entry = 6 + 16 * index
    const side = image.readUInt32BE(16)
    // 0 stands for 256.
    head.writeUInt8(side % 256, entry)
    head.writeUInt8(side % 256, entry + 1)
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(image.length, entry + 8)
    head.writeUInt32LE(offset, entry + 12)
    offset += image.length
  }
  return Buffer.concat([head, ...images])
}

function icns(): Buffer {
  const parts = ICNS_TYPES.map(([type, size]) => {
    const image = render(drawing('farebox'), size)
    return Buffer.concat([Buffer.from(type, 'latin1'), uint32(8 + image.length), image])
  })
  const length = parts.reduce((sum, part) => sum + part.length, 8)
  return Buffer.concat([Buffer.from('icns', 'latin1'), uint32(length), ...parts])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
