import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placePopover, placeWindow, POPOVER_SIZE, type Rectangle, type WindowPlace } from '#shell/window-bounds.ts'
import {
  dashboardAddress,
  externalAddress,
  isSignedOut,
  mayDownload,
  mayNavigate,
  mayUse,
  WEB_PREFERENCES,
} from '#shell/window-policy.ts'

const MAIN: Rectangle = { x: 0, y: 25, width: 1920, height: 1055 }
const LEFT: Rectangle = { x: -1280, y: 0, width: 1280, height: 1024 }
const SMALL: Rectangle = { x: 0, y: 0, width: 800, height: 600 }
const place = (x: number, y: number, width = 1000, height = 700): WindowPlace => ({
  x,
  y,
  width,
  height,
  isMaximized: false,
})

function isInside({ x, y, width, height }: Rectangle, display: Rectangle): boolean {
  return (
    x >= display.x &&
    y >= display.y &&
    x + width <= display.x + display.width &&
    y + height <= display.y + display.height
  )
}

describe('the place of the window', () => {
  it.each<[string, WindowPlace | undefined, Rectangle[], Partial<WindowPlace>]>([
    ['the middle the first time', undefined, [MAIN], { x: 360, y: 152, width: 1200, height: 800 }],
    ['where it was', place(100, 100), [MAIN], { x: 100, y: 100, width: 1000, height: 700 }],
    ['where it was on another display', place(-1200, 50), [MAIN, LEFT], { x: -1200, y: 50 }],
    ['the middle when its display is gone', place(-1200, 50), [MAIN], { x: 360, y: 152 }],
    ['moved in when it stuck out to the right', place(1700, 100), [MAIN], { x: 920, y: 100 }],
    ['moved in when it stuck out at the bottom', place(100, 1000), [MAIN], { x: 100, y: 380 }],
    ['the middle when its title bar is above the display', place(100, -40), [MAIN], { x: 360, y: 152 }],
    ['the middle when hardly anything is to be seen', place(1850, 100), [MAIN], { x: 360 }],
    ['shrunk to a smaller display', place(10, 10, 1900, 1000), [SMALL], { x: 0, y: 0, width: 800, height: 600 }],
    ['grown to what can be used', place(10, 30, 50, 40), [MAIN], { width: 420, height: 480 }],
    ['on the display that shows most of it', place(-900, 100), [MAIN, LEFT], { x: -1000 }],
  ])('is %s', (_name, saved, displays, expected) => {
    expect(placeWindow(saved, displays)).toMatchObject(expected)
  })

  it('keeps that it was maximised', () => {
    expect(placeWindow({ ...place(9000, 9000), isMaximized: true }, [MAIN]).isMaximized).toBe(true)
  })

  it('is whole on a display, whatever was remembered', () => {
    const length = fc.integer({ min: -5000, max: 5000 })
    const size = fc.integer({ min: 0, max: 6000 })
    fc.assert(
      fc.property(
        length,
        length,
        size,
        size,
        fc.constantFrom([MAIN], [MAIN, LEFT], [SMALL]),
        (x, y, width, height, displays) => {
          const placed = placeWindow({ x, y, width, height, isMaximized: false }, displays)
          expect(displays.some((display) => isInside(placed, display))).toBe(true)
        },
      ),
    )
  })
})

describe('the place of the small window', () => {
  it.each<[string, Rectangle, Rectangle, Partial<Rectangle>]>([
    ['below an icon at the top', { x: 1800, y: 0, width: 24, height: 24 }, MAIN, { x: 1500, y: 32 }],
    [
      'above an icon at the bottom',
      { x: 1700, y: 1050, width: 24, height: 24 },
      MAIN,
      { y: 1050 - 8 - POPOVER_SIZE.height },
    ],
    ['on the display when the icon is in a corner', { x: 0, y: 0, width: 24, height: 24 }, MAIN, { x: 0 }],
    [
      'as large as a small display',
      { x: 10, y: 0, width: 24, height: 24 },
      { ...SMALL, height: 500 },
      { height: 500, y: 0 },
    ],
  ])('is %s', (_name, icon, display, expected) => {
    const placed = placePopover(icon, display)
    expect(placed).toMatchObject(expected)
    expect(isInside(placed, display)).toBe(true)
  })
})

const ORIGIN = 'http://127.0.0.1:3273'
/** Every way to write an address that is not the gateway's. */
const FOREIGN = [
  'http://127.0.0.1:3274/app/overview',
  'https://127.0.0.1:3273/app/overview',
  'http://localhost:3273/',
  'http://127.0.0.1:3273@evil.example/',
  'http://127.0.0.1:3273.evil.example/',
  'http://evil.example/#http://127.0.0.1:3273/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,x',
  'blob:http://127.0.0.1:3273/abc',
  'about:blank',
  'chrome://gpu',
  'devtools://devtools/x',
  'view-source:http://127.0.0.1:3273/',
  'filesystem:http://127.0.0.1:3273/temporary/x',
  'ws://127.0.0.1:3273/',
  '',
  'not an address',
]

describe('the window', () => {
  it('goes nowhere but within the origin of the gateway', () => {
    expect(mayNavigate(`${ORIGIN}/app/keys?x=1#y`, ORIGIN)).toBe(true)
    expect(FOREIGN.filter((url) => mayNavigate(url, ORIGIN))).toEqual([])
    expect(mayNavigate(`${ORIGIN}/`, undefined)).toBe(false)
  })

  it('hands only the places that are listed to the browser', () => {
    const places = ['https://example.org/farebox/', 'https://docs.example.org/guide']
    expect(externalAddress('https://example.org/farebox/issues?q=1', places)).toBe(
      'https://example.org/farebox/issues?q=1',
    )
    expect(externalAddress('https://docs.example.org/guide', places)).toBe('https://docs.example.org/guide')
    const refused = [
      ...FOREIGN,
      'https://example.org/',
      'https://example.org/fareboxes',
      'https://example.org/farebox/../other',
      'http://example.org/farebox/issues',
      'https://user:pass@example.org/farebox/',
      'https://example.org:8443/farebox/',
      'https://example.org.evil.example/farebox/',
      'https://docs.example.org/guide-to-evil',
    ]
    expect(refused.filter((url) => externalAddress(url, places) !== undefined)).toEqual([])
    expect(externalAddress('https://example.org/farebox/', [])).toBeUndefined()
  })

  it('may write to the clipboard from its own page, and nothing else', () => {
    const own = { origin: `${ORIGIN}/`, gateway: ORIGIN }
    expect(mayUse('clipboard-sanitized-write', own)).toBe(true)
    expect(mayUse('clipboard-sanitized-write', { ...own, gateway: undefined })).toBe(false)
    expect(FOREIGN.filter((origin) => mayUse('clipboard-sanitized-write', { origin, gateway: ORIGIN }))).toEqual([])
    const others = [
      'clipboard-read',
      'media',
      'geolocation',
      'notifications',
      'openExternal',
      'usb',
      'fileSystem',
      'unknown',
    ]
    expect(others.filter((permission) => mayUse(permission, own))).toEqual([])
  })

  it('saves only what the dashboard makes', () => {
    expect(mayDownload(`blob:${ORIGIN}/3f2c`, ORIGIN)).toBe(true)
    expect(mayDownload(`${ORIGIN}/api/usage.csv`, ORIGIN)).toBe(true)
    const refused = [...FOREIGN.filter((url) => !url.startsWith('blob:')), 'blob:http://evil.example/1', 'blob:null/1']
    expect(refused.filter((url) => mayDownload(url, ORIGIN))).toEqual([])
    expect(mayDownload(`blob:${ORIGIN}/1`, undefined)).toBe(false)
  })

  it('has no Node, no preload script, and a sandbox', () => {
    expect(WEB_PREFERENCES).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webSecurity: true,
      webviewTag: false,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
    })
    expect(WEB_PREFERENCES).not.toHaveProperty('preload')
    // Only a name that begins with `persist:` is written to disk.
    expect(WEB_PREFERENCES.partition).not.toMatch(/^persist:/)
  })

  it('takes the ticket behind the #, which no server and no log sees', () => {
    expect(dashboardAddress(ORIGIN, 'keys', 'a/b c')).toBe(`${ORIGIN}/app/keys#ticket=a%2Fb%20c`)
    expect(dashboardAddress(ORIGIN, 'keys', undefined)).toBe(`${ORIGIN}/app/keys`)
  })

  it('knows a page that has lost its session', () => {
    expect([`${ORIGIN}/app/sign-in`, `${ORIGIN}/app/sign-in?x=1`, ''].map(isSignedOut)).toEqual([true, true, true])
    expect([`${ORIGIN}/app/overview`, `${ORIGIN}/app/sign-ins`].map(isSignedOut)).toEqual([false, false])
  })
})
