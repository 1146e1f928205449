// Draws a picture onto a canvas, in the colours and the typeface of the page that it stands on.

import type { Picture, PictureMonth } from '#renderer/data/picture.ts'

/** In units of the drawing; twice as many pixels, so that it is sharp where it is shown large. */
const PICTURE_WIDTH = 640
const SCALE = 2
const EDGE = 36
const LINE = 30
const CELL_HEIGHT = 52
const GAP = 6
const NAME_SHARE = 0.55

type Brush = {
  readonly context: CanvasRenderingContext2D
  readonly colour: (name: 'page' | 'surface' | 'line' | 'ink' | 'muted' | 'accent' | 'sunken') => string
}

type Words = {
  readonly at: readonly [x: number, y: number]
  readonly size: number
  readonly colour: string
  readonly weight?: number
  readonly align?: CanvasTextAlign
  readonly width: number
}

function pictureHeight({ facts, month }: Picture): number {
  const calendar = month === undefined ? 0 : LINE + rowsOf(month) * (CELL_HEIGHT + GAP) + GAP
  return EDGE + 128 + calendar + facts.length * LINE + 64
}

/** Draws all of it, and gives the canvas its size. Does nothing where the browser has no canvas. */
export function drawPicture(canvas: HTMLCanvasElement, picture: Picture): void {
  const height = pictureHeight(picture)
  canvas.width = PICTURE_WIDTH * SCALE
  canvas.height = height * SCALE
  const context = canvas.getContext('2d')
  if (context === null) return
  const style = getComputedStyle(document.documentElement)
  const brush: Brush = { context, colour: (name) => style.getPropertyValue(`--${name}`).trim() }
  context.scale(SCALE, SCALE)
  context.fillStyle = brush.colour('surface')
  context.fillRect(0, 0, PICTURE_WIDTH, height)
  drawHead(brush, picture)
  let y = EDGE + 128
  if (picture.month !== undefined) y = drawMonth(brush, picture.month, y)
  for (const { name, value } of picture.facts) {
    const [colour, size] = [brush.colour('muted'), 15]
    const inner = PICTURE_WIDTH - 2 * EDGE
    write(brush, name, { at: [EDGE, y], size, colour, width: inner * NAME_SHARE })
    const align = 'right'
    write(brush, value, {
      at: [PICTURE_WIDTH - EDGE, y],
      size,
      colour: brush.colour('ink'),
      align,
      width: inner * (1 - NAME_SHARE) - GAP,
    })
    y += LINE
  }
  context.fillStyle = brush.colour('accent')
  context.fillRect(EDGE, height - 40, 10, 10)
  write(brush, 'Farebox', {
    at: [EDGE + 18, height - 30],
    size: 14,
    colour: brush.colour('muted'),
    weight: 600,
    width: 200,
  })
}

function drawHead(brush: Brush, { title, subtitle, amount }: Picture): void {
  const width = PICTURE_WIDTH - 2 * EDGE
  write(brush, title, { at: [EDGE, EDGE + 16], size: 20, colour: brush.colour('ink'), weight: 600, width })
  write(brush, subtitle, { at: [EDGE, EDGE + 40], size: 14, colour: brush.colour('muted'), width })
  write(brush, amount, { at: [EDGE, EDGE + 90], size: 40, colour: brush.colour('accent'), weight: 650, width })
}

/** Returns where it ends. */
function drawMonth(brush: Brush, month: PictureMonth, top: number): number {
  const { context, colour } = brush
  const width = (PICTURE_WIDTH - 2 * EDGE - 6 * GAP) / 7
  const left = (column: number) => EDGE + column * (width + GAP)
  for (const [index, name] of month.weekdays.entries()) {
    write(brush, name, { at: [left(index) + 8, top], size: 12, colour: colour('muted'), width: width - 16 })
  }
  for (const [index, { number, text, share }] of month.days.entries()) {
    const place = index + month.blank
    const [x, y] = [left(place % 7), top + 12 + Math.floor(place / 7) * (CELL_HEIGHT + GAP)]
    context.fillStyle = colour('sunken')
    context.fillRect(x, y, width, CELL_HEIGHT)
    // Half of the hue at most, so that what is written on it can be read.
    context.globalAlpha = share === 0 ? 0 : 0.1 + 0.35 * share
    context.fillStyle = colour('accent')
    context.fillRect(x, y, width, CELL_HEIGHT)
    context.globalAlpha = 1
    write(brush, String(number), { at: [x + 8, y + 18], size: 12, colour: colour('ink'), width: width - 16 })
    write(brush, text, { at: [x + 8, y + 40], size: 15, colour: colour('ink'), weight: 600, width: width - 16 })
  }
  return top + LINE + rowsOf(month) * (CELL_HEIGHT + GAP) + GAP
}

function rowsOf({ blank, days }: PictureMonth): number {
  return Math.ceil((blank + days.length) / 7)
}

/** One line; what is too wide is drawn narrower, and cut where that is not enough. */
function write(
  { context }: Brush,
  text: string,
  { at: [x, y], size, colour, weight = 400, align, width }: Words,
): void {
  context.font = `${weight} ${size}px "Inter Variable", system-ui, sans-serif`
  context.fillStyle = colour
  context.textAlign = align ?? 'left'
  let shown = text
  while (shown.length > 1 && context.measureText(shown).width > width * 1.25) shown = `${shown.slice(0, -2)}…`
  context.fillText(shown, x, y, width)
}
