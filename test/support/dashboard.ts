// The dashboard as people have it: a real Farebox with the demo in it, and Chromium, signed in by a one-time link. Every visit finds
// fault with what is written to the console, with violations of the content security policy and with requests to other places.

import axe from 'axe-core'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { vi } from 'vitest'
import { startFarebox, type Farebox, type FareboxOptions } from './farebox.ts'

export type Dashboard = {
  readonly farebox: Farebox
  /** The value of the key that came with the demo. */
  readonly key: string
  /** Opens a page below /app, and closes it when `look` is done. */
  visit(path: string, look: (page: Page) => Promise<void>, as?: Visit): Promise<void>
  close(): Promise<void>
}

export type Visit = {
  /** Who signs in with a password; the owner of the machine, with a link, where nobody is named. */
  readonly member?: { readonly name: string; readonly password: string }
  readonly theme?: 'light' | 'dark'
  readonly language?: 'en' | 'de'
  /** In pixels. */
  readonly width?: number
  /** Nobody signs in. */
  readonly isStranger?: boolean
}

/** A browser on a busy machine takes its time, and a visit is many steps. */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 240_000 })
/** Less than a test has, so that the step that failed is named. */
const STEP_LIMIT_MS = 25_000
/** The build takes a while on a busy machine, and the first test that asks for the page waits for it. */
const BUILD_LIMIT_MS = 180_000

export async function startDashboard(options: FareboxOptions = {}): Promise<Dashboard> {
  const farebox = await startFarebox(options)
  const { key } = await farebox.admin.call('addDemo', {})
  await built(farebox.url)
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-background-networking'],
  })
  return {
    farebox,
    key: key?.key ?? '',
    visit: (path, look, as = {}) => visit({ browser, farebox }, path, look, as),
    async close() {
      await browser.close()
      await farebox.close()
    },
  }
}

type House = { readonly browser: Browser; readonly farebox: Farebox }

async function visit(house: House, path: string, look: (page: Page) => Promise<void>, as: Visit): Promise<void> {
  const { url } = house.farebox
  const context = await house.browser.newContext({
    viewport: { width: as.width ?? 1280, height: 900 },
    locale: as.language ?? 'en',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  })
  await context.addInitScript(`localStorage.setItem('farebox-theme', '${as.theme ?? 'light'}')`)
  const faults: string[] = []
  try {
    const page = await watched(context, url, faults)
    if (as.isStranger !== true) await signIn(page, house, as)
    await page.goto(`${url}/app${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await look(page)
  } finally {
    await context.close()
  }
  if (faults.length > 0) throw new Error(`the page at ${path} has faults:\n${faults.join('\n')}`)
}

async function watched(context: BrowserContext, url: string, faults: string[]): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(STEP_LIMIT_MS)
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    // What is refused is the browser's to note by itself; the tests look at what the page makes of it.
    const isNoted = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isNoted) faults.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) faults.push(`asked for ${request.url()}`)
  })
  return page
}

async function signIn(page: Page, { farebox }: House, { member }: Visit): Promise<void> {
  if (member === undefined) {
    const { ticket } = await farebox.admin.call('makeTicket', {})
    await page.goto(`${farebox.url}/#ticket=${ticket}`)
  } else {
    await page.goto(`${farebox.url}/app/sign-in`)
    await page.locator('input[autocomplete=username]').fill(member.name)
    await page.locator('input[type=password]').fill(member.password)
    await page.locator('button[type=submit]').click()
  }
  await page.waitForURL(/\/app\/overview/)
}

/** Farebox builds what is missing when it is first asked for it. */
async function built(url: string): Promise<void> {
  const untilMs = performance.now() + BUILD_LIMIT_MS
  while (performance.now() < untilMs) {
    const response = await fetch(`${url}/app/sign-in`)
    if (response.status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  throw new Error('the dashboard was not built in time: npm run build')
}

/** What axe finds that keeps people from using the page, a line for each. */
export async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<Pick<axe.AxeResults, 'violations'>>('axe.run()')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`))
}
