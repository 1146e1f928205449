// A page that has asked for everything and has got it.

import type { Page, Request } from 'playwright-core'
import { expect } from 'vitest'

/** So long after the last answer nothing more is asked for. */
const IDLE_MS = 300
const LIMIT_MS = 15_000

/** Goes to an address, and waits until nothing is on its way any more: the stream of events, which never ends, is not counted. */
export async function gotoSettled(page: Page, url: string): Promise<void> {
  const open = new Set<Request>()
  let lastMs = Date.now()
  const began = (request: Request) => {
    if (!request.url().endsWith('/api/events')) open.add(request)
  }
  const ended = (request: Request) => {
    open.delete(request)
    lastMs = Date.now()
  }
  page.on('request', began)
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  try {
    await page.goto(url)
    await expect.poll(() => open.size === 0 && Date.now() - lastMs > IDLE_MS, { timeout: LIMIT_MS }).toBe(true)
  } finally {
    page.off('request', began)
    page.off('requestfinished', ended)
    page.off('requestfailed', ended)
  }
}
