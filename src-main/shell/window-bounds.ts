// Where windows go. Displays come and go between two starts, so a remembered place counts only as far as it can be seen.

export type Rectangle = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
export type WindowPlace = Rectangle & { readonly isMaximized: boolean }

const DEFAULT_SIZE = { width: 1200, height: 800 } as const
const MIN_SIZE = { width: 420, height: 480 } as const
export const POPOVER_SIZE = { width: 420, height: 740 } as const
/** How much of a title bar has to be on a display for somebody to get hold of it. */
const GRIP = { width: 120, height: 32 } as const
const GAP = 8

/**
 * The place for the window: the remembered one where enough of it is on a display, moved and shrunk so that all of it is; else the
 * middle of the main display. `displays` are work areas, the main one first; there is always one.
 */
export function placeWindow(saved: WindowPlace | undefined, displays: readonly Rectangle[]): WindowPlace {
  const main = displays[0] ?? { x: 0, y: 0, ...DEFAULT_SIZE }
  const home = saved === undefined ? undefined : displayOf(saved, displays)
  if (saved === undefined || home === undefined) return { ...centred(main), isMaximized: saved?.isMaximized ?? false }
  return { ...within(saved, home), isMaximized: saved.isMaximized }
}

/** The display that shows most of a rectangle; undefined where none shows enough to move it. */
function displayOf(rectangle: Rectangle, displays: readonly Rectangle[]): Rectangle | undefined {
  const title = { ...rectangle, height: Math.min(GRIP.height, rectangle.height) }
  const seen = displays.filter((display) => {
    const { width, height } = overlap(title, display)
    return width >= Math.min(GRIP.width, rectangle.width) && height >= title.height
  })
  return seen.toSorted((a, b) => area(overlap(rectangle, b)) - area(overlap(rectangle, a)))[0]
}

function overlap(a: Rectangle, b: Rectangle): { width: number; height: number } {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  return { width: Math.max(0, width), height: Math.max(0, height) }
}

function area({ width, height }: { width: number; height: number }): number {
  return width * height
}

function centred(display: Rectangle): Rectangle {
  const width = Math.min(DEFAULT_SIZE.width, display.width)
  const height = Math.min(DEFAULT_SIZE.height, display.height)
  const x = display.x + Math.floor((display.width - width) / 2)
  const y = display.y + Math.floor((display.height - height) / 2)
  return { x, y, width, height }
}

function within(rectangle: Rectangle, display: Rectangle): Rectangle {
  const width = Math.min(Math.max(rectangle.width, MIN_SIZE.width), display.width)
  const height = Math.min(Math.max(rectangle.height, MIN_SIZE.height), display.height)
  return {
    x: clamp(rectangle.x, display.x, display.x + display.width - width),
    y: clamp(rectangle.y, display.y, display.y + display.height - height),
    width,
    height,
  }
}

/** The small window beside the tray icon: below it or above it, whichever side has room, and on its display whole. */
export function placePopover(icon: Rectangle, display: Rectangle): Rectangle {
  const width = Math.min(POPOVER_SIZE.width, display.width)
  const height = Math.min(POPOVER_SIZE.height, display.height)
  const middle = icon.x + Math.floor(icon.width / 2)
  const isBelow = icon.y + icon.height / 2 < display.y + display.height / 2
  const y = isBelow ? icon.y + icon.height + GAP : icon.y - GAP - height
  return {
    x: clamp(middle - Math.floor(width / 2), display.x, display.x + display.width - width),
    y: clamp(y, display.y, display.y + display.height - height),
    width,
    height,
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.round(Math.min(Math.max(value, least), Math.max(least, most)))
}
