// The dashboard as people have it: a real Farebox with the demo in it, and Chromium. Every visit finds fault with what is written to
// the console, with violations of the content security policy and with requests to other places. Visits begin signed in and on
// their page, because each page that is loaded costs a second; that links and passwords let people in is tested by itself.

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
  /** Where Farebox is reached, if not where this machine does; its certificate is taken as it is. */
  readonly at?: string
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
    // Pages that share a process share what it has compiled.
    args: ['--no-sandbox', '--disable-background-networking', '--renderer-process-limit=1'],
  })
  const house = { browser, farebox, idle: new Map<string, BrowserContext>() }
  return {
    farebox,
    key: key?.key ?? '',
    visit: (path, look, as = {}) => visit(house, path, look, as),
    async close() {
      await browser.close()
      await farebox.close()
    },
  }
}

type House = { readonly browser: Browser; readonly farebox: Farebox; readonly idle: Map<string, BrowserContext> }

async function visit(house: House, path: string, look: (page: Page) => Promise<void>, as: Visit): Promise<void> {
  const url = as.at ?? house.farebox.url
  const context = await contextFor(house, as)
  const faults: string[] = []
  const page = await watched(context, url, faults)
  let isClean = false
  try {
    const token = as.isStranger === true ? undefined : await signIn(context, house.farebox, as)
    await page.addInitScript(beginning(url, as, token))
    await page.goto(`${url}/app${path}`)
    // Not by its role: behind a drawer that the address opens, the page is hidden from those who ask by roles.
    await page.locator('h1').first().waitFor()
    await look(page)
    isClean = true
  } finally {
    await page.close()
    if (isClean) house.idle.set(nameOf(as), context)
    else await context.close()
  }
  if (faults.length > 0) throw new Error(`the page at ${path} has faults:\n${faults.join('\n')}`)
}

/**
 * A context is given to the next visitor of the same name and window, so that scripts and styles are fetched once. Visits within
 * visits get one of their own.
 */
async function contextFor({ browser, idle }: House, as: Visit): Promise<BrowserContext> {
  const name = nameOf(as)
  const kept = idle.get(name)
  idle.delete(name)
  return (
    kept ??
    (await browser.newContext({
      viewport: { width: as.width ?? 1280, height: 900 },
      locale: as.language ?? 'en',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
      ignoreHTTPSErrors: as.at !== undefined,
    }))
  )
}

function nameOf({ member, at, language, width, isStranger }: Visit): string {
  return JSON.stringify([member?.name, at, language, width, isStranger])
}

/** Runs in the page before its own scripts: as somebody who comes for the first time, and has signed in. */
function beginning(url: string, { theme = 'light' }: Visit, token: string | undefined): string {
  // The name of a window lasts as long as its tab, and is nothing that the dashboard keeps.
  return `if (location.origin === '${url}' && window.name === '') {
    window.name = 'visited'
    localStorage.clear()
    localStorage.setItem('farebox-theme', '${theme}')
    ${token === undefined ? '' : `sessionStorage.setItem('farebox-session', '${token}')`}
  }`
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

/** The context gets the cookie, and the page is to get the token that is returned. */
async function signIn(context: BrowserContext, farebox: Farebox, { member, at }: Visit): Promise<string> {
  const url = at ?? farebox.url
  const data = member ?? { ticket: (await farebox.admin.call('makeTicket', {})).ticket }
  const answer = await context.request.post(`${url}/api/session`, { data, headers: { origin: url } })
  const { token } = (await answer.json()) as { readonly token?: string }
  if (token === undefined) throw new Error(`signing in was answered with ${answer.status()}`)
  return token
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

/** The least time that one of three tries takes: how quick something is must not hang on what else this machine does meanwhile. */
export async function quickestMs(tryMs: () => Promise<number>): Promise<number> {
  return Math.min(await tryMs(), await tryMs(), await tryMs())
}

export type Look = {
  /** A selector of the parts to look at; everything where it is left out. */
  readonly part?: string
  /** Only what colours can do wrong, where the same elements were looked at in other colours. */
  readonly isColoursOnly?: boolean
}

/** What axe finds that keeps people from using the page, a line for each. */
export async function seriousViolations(page: Page, { part, isColoursOnly = false }: Look = {}): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  const context = part === undefined ? 'document' : JSON.stringify(part)
  const rules = isColoursOnly ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {}
  // Nothing of what is preloaded is looked at by rules that are on.
  const options = JSON.stringify({ resultTypes: ['violations'], preload: false, ...rules })
  const run = `axe.run(${context}, ${options})`
  const { violations } = await page.evaluate<Pick<axe.AxeResults, 'violations'>>(run)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`))
}
