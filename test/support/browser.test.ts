import { expect, it } from 'vitest'
import { findBrowser } from './browser.ts'

it.each([
  ['the one without windows', ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'], 'chromium-headless-shell'],
  ['that one where it is alone', ['/usr/bin/chromium-headless-shell'], 'chromium-headless-shell'],
  ['Chromium where it is alone', ['/usr/bin/chromium'], 'chromium'],
  ['Chromium where there is none', [], 'chromium'],
])('the browser of the tests is %s', (_what, there, name) => {
  expect(findBrowser((path) => there.includes(path))).toBe(`/usr/bin/${name}`)
})
