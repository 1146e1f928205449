// The dashboard as people have it: a real Farebox with the demo in it, and Chromium. Every visit finds fault with what is written to
// the console, with violations of the content security policy and with requests to other places. Visits begin signed in and on
// their page, because each page that is loaded costs a second; that links and passwords let people in is tested by itself.

import { createServer } from 'node:net'
import axe from 'axe-core'
import type { Browser, BrowserContext, Locator, Page, Request, Response } from 'playwright-core'
import type { Language } from '../../src-renderer/data/languages.ts'
import { launchBrowser } from './browser.ts'
import { build } from './built.ts'
import { startFarebox, type Farebox, type FareboxOptions } from './farebox.ts'

export type Dashboard = {
  readonly farebox: Farebox
  /** The value of the key that came with the demo. */
  readonly key: string
  /** Opens a page below /app, and leaves it when `look` is done. */
  visit(path: string, look: (page: Page) => Promise<void>, as?: Visit): Promise<void>
  close(): Promise<void>
}

export type Visit = {
  /** Who signs in with a password; the owner of the machine, with a link, where nobody is named. */
  readonly member?: { readonly name: string; readonly password: string }
  /** Signs in with this key alone. */
  readonly key?: string
  readonly theme?: 'light' | 'dark'
  readonly language?: Language
  /** In pixels. */
  readonly width?: number
  /** Where Farebox is reached, if not where this machine does; its certificate is taken as it is. */
  readonly at?: string
  /** Nobody signs in. */
  readonly isStranger?: boolean
}

/** Less than a test has, so that the step that failed is named. */
const STEP_LIMIT_MS = 60_000

/** All files of a process have one browser: it takes as long to start as some pages to load, and ends with the process. */
let shared: Promise<Browser> | undefined

async function sharedBrowser(): Promise<Browser> {
  const browser = await (shared ??= launchBrowser())
  if (browser.isConnected()) return browser
  // A test has brought it down, which is no other file's fault.
  shared = launchBrowser()
  return shared
}

/** Of the gateway before. */
let lastPort = 0

export async function startDashboard(options: FareboxOptions = {}): Promise<Dashboard> {
  build('dashboard')
  // Where a gateway comes after another, it has the same place: what a browser has fetched and compiled is for one place alone.
  const farebox = await startFarebox({ ...options, port: (await isFree(lastPort)) ? lastPort : 0 })
  lastPort = Number(new URL(farebox.url).port)
  const { key } = await farebox.admin.call('addDemo', {})
  const house = { browser: await sharedBrowser(), farebox }
  return {
    farebox,
    key: key?.key ?? '',
    visit: (path, look, as = {}) => visit(house, path, look, as),
    close: () => farebox.close(),
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

type House = { readonly browser: Browser; readonly farebox: Farebox }

async function visit(house: House, path: string, look: (page: Page) => Promise<void>, as: Visit): Promise<void> {
  const url = as.at ?? house.farebox.url
  const seen: Seen = { faults: [], refused: [], unanswered: new Set() }
  const page = await pageFor(house, url, as)
  let isClean = false
  try {
    const token = as.isStranger === true ? undefined : await signIn(page.context(), house.farebox, as)
    await page.evaluate(beginning(as, token))
    watch(page, url, seen)
    await page.goto(`${url}/app${path}`)
    // Not by its role: behind a drawer that the address opens, the page is hidden from those who ask by roles.
    await page.locator('h1').first().waitFor()
    await look(page)
    isClean = true
  } catch (error) {
    // The step that failed is known, and why it did is mostly said elsewhere.
    if (error instanceof Error) error.message += `\n${await stateOf(page, seen)}`
    throw error
  } finally {
    if (isClean) await keep(page, url, as)
    else await page.context().close()
  }
  const { faults } = seen
  if (faults.length > 0) throw new Error(`the page at ${path} has faults:\n${faults.join('\n')}`)
}

/** Pages that nobody looks at, by their windows. They show the sign of life, and all files of a process have them. */
const idle = new Map<string, Page[]>()

/**
 * A page is given to the next visitor, whoever that is: one that is opened costs the browser as much as three that are loaded, and
 * scripts and styles are fetched and compiled once for each gateway. Visits within visits get one of their own.
 */
async function pageFor({ browser }: House, url: string, as: Visit): Promise<Page> {
  const page = idle.get(windowOf(as))?.pop()
  // A test has brought the browser down, or the page.
  if (page === undefined || page.isClosed()) return openPage(browser, url, as)
  await page.setViewportSize(viewportOf(as))
  if (new URL(page.url()).origin !== url) await page.goto(`${url}/health`)
  return page
}

const COLOURS_AND_MOTION = { colorScheme: 'light', reducedMotion: 'reduce', forcedColors: 'none' } as const

async function openPage(browser: Browser, url: string, as: Visit): Promise<Page> {
  const context = await browser.newContext({
    viewport: viewportOf(as),
    locale: as.language ?? 'en',
    timezoneId: 'Europe/Berlin',
    ...COLOURS_AND_MOTION,
    ignoreHTTPSErrors: as.at !== undefined,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(STEP_LIMIT_MS)
  await page.goto(`${url}/health`)
  return page
}

/**
 * Opens what a row of a table stands for. It is clicked at its name: what is in the middle of a row hangs on how wide its texts are at
 * that moment, and may be a link that leads elsewhere.
 */
export function openRow(row: Locator): Promise<void> {
  return row.getByRole('cell').first().click()
}

const EVENTS = ['console', 'dialog', 'framenavigated', 'pageerror', 'request', 'requestfailed', 'response'] as const

/**
 * Takes away what the visit has done to the page and its browser, and leaves the dashboard, which would go on asking. Scripts that begin
 * with the page cannot be taken away: `test/dashboard/visits.test.ts` has nobody add any.
 */
async function keep(page: Page, url: string, as: Visit): Promise<void> {
  for (const event of EVENTS) {
    page.removeAllListeners(event)
  }
  const context = page.context()
  await Promise.all([page.unrouteAll(), context.unrouteAll(), context.setOffline(false)])
  await page.goto(`${url}/health`)
  await Promise.all([
    ...context.pages().map((one) => (one === page ? undefined : one.close())),
    context.clearCookies(),
    context.clearPermissions(),
    page.emulateMedia({ ...COLOURS_AND_MOTION, media: null }),
    page.mouse.move(0, 0),
  ])
  const name = windowOf(as)
  idle.set(name, [...(idle.get(name) ?? []), page])
}

function viewportOf({ width = 1280 }: Visit) {
  return { width, height: 900 }
}

/** What of a window cannot be changed any more. */
function windowOf({ at, language = 'en' }: Visit): string {
  return `${language} ${at === undefined ? 'here' : 'over the LAN'}`
}

/** Makes of the page that of somebody who comes for the first time, and has signed in. */
function beginning({ theme = 'light' }: Visit, token: string | undefined): string {
  return `localStorage.clear()
    sessionStorage.clear()
    localStorage.setItem('farebox-theme', '${theme}')
    ${token === undefined ? '' : `sessionStorage.setItem('farebox-session', '${token}')`}`
}

/** `refused` has what failed or was answered with an error, which some tests are about. */
type Seen = { readonly faults: string[]; readonly refused: string[]; readonly unanswered: Set<string> }

function watch(page: Page, url: string, { faults, refused, unanswered }: Seen): void {
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    // What is refused is the browser's to note by itself; the tests look at what the page makes of it.
    const isNoted = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isNoted) faults.push(message.text())
  })
  page.on('request', (request) => {
    unanswered.add(request.url())
    if (!request.url().startsWith(`${url}/`)) faults.push(`asked for ${request.url()}`)
  })
  const isOver = (one: Request | Response, fault?: string) => {
    unanswered.delete(one.url())
    if (fault !== undefined) refused.push(`${fault}: ${one.url()}`)
  }
  page.on('response', (response) => isOver(response, response.ok() ? undefined : String(response.status())))
  page.on('requestfailed', (request) => isOver(request, request.failure()?.errorText ?? 'failed'))
}

/** What a page shows where a step failed, what it found fault with, and what it still waits for. */
async function stateOf(page: Page, { faults, refused, unanswered }: Seen): Promise<string> {
  const text = page.locator('body').innerText({ timeout: 2000 })
  const shown = await text.catch((error: unknown) => `(cannot be read: ${String(error)})`)
  return [
    `at ${page.url()}, which shows: ${shown.replaceAll(/\s+/g, ' ').slice(0, 2000) || 'nothing'}`,
    ...faults.map((fault) => `fault: ${fault}`),
    ...refused.slice(-10).map((line) => `refused: ${line}`),
    ...[...unanswered].slice(0, 10).map((url) => `unanswered: ${url}`),
  ].join('\n')
}

/** The context gets the cookie, and the page is to get the token that is returned. */
async function signIn(context: BrowserContext, farebox: Farebox, { member, key, at }: Visit): Promise<string> {
  const url = at ?? farebox.url
  const data = member ?? (key === undefined ? { ticket: (await farebox.admin.call('makeTicket', {})).ticket } : { key })
  const answer = await context.request.post(`${url}/api/session`, { data, headers: { origin: url } })
  const { token } = (await answer.json()) as { readonly token?: string }
  if (token === undefined) throw new Error(`signing in was answered with ${answer.status()}`)
  return token
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

/**
 * Of what lesser rules find nothing is ever serious, and they take their time. How much a rule weighs is no part of what axe promises,
 * so that all of them run where it cannot be told.
 */
const { _audit: audit } = axe as { readonly _audit?: { readonly rules: readonly { id: string; impact?: string }[] } }
const LESSER = audit?.rules.filter(({ impact }) => impact === 'minor' || impact === 'moderate') ?? []
const WITHOUT_LESSER = { rules: Object.fromEntries(LESSER.map(({ id }) => [id, { enabled: false }])) }

/** What axe finds that keeps people from using the page, a line for each. */
export async function seriousViolations(page: Page, { part, isColoursOnly = false }: Look = {}): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  const context = part === undefined ? 'document' : JSON.stringify(part)
  const rules = isColoursOnly ? { runOnly: ['color-contrast', 'link-in-text-block'] } : WITHOUT_LESSER
  // Nothing of what is preloaded is looked at by rules that are on.
  const options = JSON.stringify({ resultTypes: ['violations'], preload: false, selectors: false, ...rules })
  const run = `axe.run(${context}, ${options})`
  const { violations } = await page.evaluate<Pick<axe.AxeResults, 'violations'>>(run)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`))
}
