// The built dashboard in a real browser, under the content security policy that it is served with.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DASHBOARD_DIR } from '#config/program-files.ts'
import type { ResponseBody } from '#contract/admin-api.ts'
import { READ_LIMIT_MS } from '#renderer/api/client.ts'
import { launchBrowser } from '../support/browser.ts'
import { build } from '../support/built.ts'
import { serveDashboard, type Answers } from '../support/dashboard-server.ts'
import { shellAnswers } from '../support/dashboard-answers.ts'

const TOKEN = 'token-of-this-test'

let browser: Browser | undefined
beforeAll(async () => {
  build('dashboard')
  browser = await launchBrowser()
}, 120_000)

afterAll(() => browser?.close())

describe('the built dashboard', () => {
  it('has a compressed copy of every script and style, and no inline script or style', () => {
    const names = readdirSync(join(DASHBOARD_DIR, 'assets'))
    const texts = names.filter((name) => /\.(js|css)$/.test(name))
    expect(texts.length).toBeGreaterThan(10)
    expect(texts.filter((name) => !names.includes(`${name}.br`) || !names.includes(`${name}.gz`))).toEqual([])
    const html = readFileSync(join(DASHBOARD_DIR, 'index.html'), 'utf8')
    expect(html).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=/)
    expect(html).toContain('__NONCE__')
  })

  it('asks for few files at once, because every request is a wait', () => {
    const html = readFileSync(join(DASHBOARD_DIR, 'index.html'), 'utf8')
    const first = [...html.matchAll(/assets\/[\w.-]+\.(js|css)/g)]
    expect(first.length).toBeGreaterThan(1)
    expect(first.length).toBeLessThan(8)
  })

  it('keeps the charts out of what is loaded first', () => {
    const html = readFileSync(join(DASHBOARD_DIR, 'index.html'), 'utf8')
    const first = [...html.matchAll(/assets\/[\w.-]+\.js/g)].map(([name]) =>
      readFileSync(join(DASHBOARD_DIR, name), 'utf8'),
    )
    expect(first.length).toBeGreaterThan(0)
    expect(first.filter((text) => text.includes('recharts'))).toEqual([])
  })
})

describe('in a browser', () => {
  it('exchanges the ticket for a session, and takes it out of the address first', async () => {
    await withPage(shellAnswers('administrator'), async (page, url) => {
      const asked = page.waitForRequest(
        (request) => request.url() === `${url}/api/session` && request.method() === 'POST',
      )
      await page.goto(`${url}/#ticket=abc-123`)
      expect((await asked).postDataJSON()).toEqual({ ticket: 'abc-123' })
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
      expect(page.url()).toBe(`${url}/app/overview`)
      expect(await page.evaluate('sessionStorage.getItem("farebox-session")')).toBe('token-of-the-answers')
    })
  })

  it('asks to sign in when a ticket is refused', async () => {
    await withPage({ ...shellAnswers('administrator'), 'POST /api/session': 401 }, async (page, url) => {
      await page.goto(`${url}/#ticket=abc-123`)
      await page.getByText('This link was used').waitFor()
      expect(page.url()).toBe(`${url}/app/sign-in`)
      expect(await page.evaluate('sessionStorage.length')).toBe(0)
    })
  })

  it('leads to the sign-in page when the session is over', async () => {
    await withPage({ 'GET /api/session': 401 }, async (page, url) => {
      await signedIn(page, url)
      await page.goto(`${url}/app/keys`)
      await page.getByRole('heading', { name: 'Farebox' }).waitFor()
      expect(page.url()).toBe(`${url}/app/sign-in`)
    })
  })

  it('sends the session token with every request, in the header', async () => {
    await withPage(shellAnswers('administrator'), async (page, url) => {
      await signedIn(page, url)
      const asked = page.waitForRequest(`${url}/api/overview`)
      await page.goto(`${url}/app/keys`)
      expect((await asked).headers()['x-farebox-session']).toBe(TOKEN)
    })
  })

  it('shows members their pages only, and leads them away from the others', async () => {
    await withPage(shellAnswers('member'), async (page, url) => {
      await signedIn(page, url)
      await page.goto(`${url}/app/providers`)
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
      const names = await page.getByRole('navigation').getByRole('link').allInnerTexts()
      expect(names.map((name) => name.trim())).toEqual([
        'Overview',
        'Keys',
        'Packages',
        'Usage',
        'Requests',
        'Ledger',
        'Try it',
        'Settings',
      ])
    })
  })

  it('opens a page by its name from the palette', async () => {
    await withPage(shellAnswers('administrator'), async (page, url) => {
      await signedIn(page, url)
      await page.goto(`${url}/app/overview`)
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('ledg')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Ledger', level: 1 }).waitFor()
    })
  })

  it('is shown where nobody says which colours and language were chosen for it', async () => {
    await withPage(shellAnswers('administrator'), async (page, url) => {
      await signedIn(page, url)
      const asked = page.waitForRequest('**/api/settings')
      await page.route('**/api/settings', () => undefined)
      await page.goto(`${url}/app/keys`)
      await asked
      await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
    })
  })

  it('is dark before the first paint, and speaks German, when that was chosen', async () => {
    await withPage(shellAnswers('administrator'), async (page, url) => {
      await signedIn(page, url)
      await page.evaluate(
        'localStorage.setItem("farebox-theme", "dark"); localStorage.setItem("farebox-language", "de")',
      )
      const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      // Whatever is on the screen before this script runs has been painted without it.
      await page.route('**/assets/first-*.js', async (route) => {
        asked.resolve()
        await held.promise
        await route.continue()
      })
      await page.goto(`${url}/app/overview`, { waitUntil: 'commit' })
      await asked.promise
      await expect.poll(() => page.evaluate('document.querySelector("#root") !== null')).toBe(true)
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
      expect(await page.evaluate('document.querySelector("#root").childElementCount')).toBe(0)
      held.resolve()
      await page.getByRole('heading', { name: 'Übersicht', level: 1 }).waitFor()
      expect(await page.evaluate('document.documentElement.lang')).toBe('de')
    })
  })
})

describe('the typeface', () => {
  const FACE = `'14px "Inter Variable"'`
  const widthOf = (page: Page) =>
    page.locator('nav a[href="/app/overview"] span').evaluate((word) => word.getBoundingClientRect().width)

  it('that comes late moves no word, and is there on the next page', async () => {
    await withPage(shellAnswers('administrator'), async (page, url) => {
      await signedIn(page, url)
      const held = Promise.withResolvers<void>()
      const asked = page.waitForRequest('**/*.woff2')
      await page.route('**/*.woff2', async (route) => {
        await held.promise
        await route.continue()
      })
      await page.goto(`${url}/app/keys`, { waitUntil: 'commit' })
      await asked
      await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
      expect(await page.evaluate(`document.fonts.check(${FACE})`)).toBe(false)
      const before = await widthOf(page)
      held.resolve()
      await page.evaluate(`document.fonts.load(${FACE})`)
      expect(await page.evaluate(`document.fonts.check(${FACE})`)).toBe(true)
      expect(await widthOf(page)).toBe(before)
      // On a busy machine it may be late once more.
      const widthAnew = async () => {
        await page.reload()
        await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
        return widthOf(page)
      }
      await expect.poll(widthAnew, { timeout: 30_000 }).not.toBe(before)
    })
  })
})

describe('where a script does not come', () => {
  const WORDS = ['The dashboard could not be loaded. Is Farebox still running?', 'Try again'] as const
  const GERMAN = ['Das Dashboard konnte nicht geladen werden. Läuft Farebox noch?', 'Erneut versuchen'] as const

  it.each([
    ['that everything begins with', '**/assets/first-*.js', 'en', WORDS],
    ['with the words of all pages', '**/assets/common-*.js', 'de', GERMAN],
  ] as const)('%s, that is said, and trying again helps', async (_name, files, language, [text, again]) => {
    const isOurs = (fault: string) => !/^(TypeError: )?Failed to fetch|ERR_FAILED/.test(fault)
    const visit = async (page: Page, url: string) => {
      await signedIn(page, url)
      await page.evaluate(`localStorage.setItem('farebox-language', '${language}')`)
      await page.route(files, (route) => route.abort())
      // Who looks whether the gateway is there again, which would load the page by itself.
      await page.route('**/app/keys', (route) =>
        route.request().resourceType() === 'fetch' ? route.abort() : route.continue(),
      )
      await page.goto(`${url}/app/keys`)
      await page.getByRole('alert').getByText(text).waitFor()
      await page.unroute(files)
      await page.getByRole('button', { name: again }).click()
      await page.locator('nav a[href="/app/keys"]').waitFor()
      expect(await page.getByRole('alert').getByText(text).count()).toBe(0)
    }
    await withPage(shellAnswers('administrator'), visit, isOurs)
  })

  it('once, the page is loaded again by itself', async () => {
    const visit = async (page: Page, url: string) => {
      await signedIn(page, url)
      await page.route('**/assets/first-*.js', (route) => route.abort(), { times: 1 })
      await page.goto(`${url}/app/keys`)
      await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
      expect(await page.evaluate('sessionStorage.getItem("farebox-loads")')).toBe(null)
    }
    await withPage(shellAnswers('administrator'), visit, (fault) => !fault.includes('ERR_FAILED'))
  })
})

describe('what is read', () => {
  const TOOL = {
    tool: 'claude-code',
    name: 'Claude Code',
    installed: true,
    version: '2.1.9',
    connected: false,
    files: [],
    last_request_at: null,
    connected_at: null,
    state: 'none',
    key_name: null,
    package: null,
    written: [],
    ways: ['connect'],
    impossible: null,
    versions: '2.1',
    page: 'https://example.com',
  } as const satisfies ResponseBody<'listTools'>[number]
  const ANSWERS = { ...shellAnswers('administrator'), 'GET /api/tools': [TOOL] }

  it('is read again where all of it broke off once: code, words and answers', async () => {
    const broken = new Set<string>()
    const visit = async (page: Page, url: string) => {
      await signedIn(page, url)
      await page.route(/\/api\/|\/assets\/(?!first|theme).*\.js$/, (route) => {
        const asked = route.request().url()
        if (broken.has(asked)) return route.continue()
        broken.add(asked)
        return route.abort('connectionaborted')
      })
      await page.goto(`${url}/app/tools`)
      await page.getByText('Claude Code').waitFor()
    }
    await withPage(ANSWERS, visit, (fault) => !/Failed to fetch|ERR_CONNECTION_ABORTED/.test(fault))
    const names = [...broken].map((url) => new URL(url).pathname)
    expect(names).toEqual(expect.arrayContaining(['/api/session', '/api/tools']))
    expect(names.filter((name) => name.startsWith('/assets/')).length).toBeGreaterThan(1)
  })

  it.each([
    ['is refused', (route: Route) => route.fulfill({ status: 503, json: {} }), 0],
    ['does not come', () => undefined, READ_LIMIT_MS],
  ])('and %s, the page says so, and reads it again by itself', async (_what, answer, waitMs) => {
    await withPage(ANSWERS, async (page, url) => {
      await page.clock.install()
      await signedIn(page, url)
      const asked = page.waitForRequest('**/api/tools')
      await page.route('**/api/tools', answer, { times: 1 })
      await page.goto(`${url}/app/tools`)
      await asked
      if (waitMs > 0) await page.clock.fastForward(waitMs)
      await page.getByText('The tools could not be loaded.').waitFor()
      await page.getByRole('button', { name: 'Try again' }).waitFor()
      await page.clock.fastForward(15_000)
      await page.getByText('Claude Code').waitFor()
    })
  })
})

describe('events', () => {
  it('are not followed by a tab that nobody looks at for long, and are again when somebody does', async () => {
    await withPage(shellAnswers('administrator'), async (page, url) => {
      await page.clock.install()
      await signedIn(page, url)
      let asked = 0
      await page.route('**/api/events', (route) => {
        asked += 1
        return route.fulfill({ contentType: 'text/event-stream', body: 'id: call-7\ndata: {}\n\n' })
      })
      const show = (state: 'hidden' | 'visible') =>
        page.evaluate(`Object.defineProperty(document, 'visibilityState', { get: () => '${state}', configurable: true })
          document.dispatchEvent(new Event('visibilitychange'))`)
      await page.goto(`${url}/app/overview`)
      await expect.poll(() => asked).toBe(1)
      // Each of these streams ends at once, and is begun again.
      await page.clock.fastForward(2000)
      await expect.poll(() => asked).toBe(2)
      await show('hidden')
      await page.clock.fastForward(30_000)
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
      const before = asked
      await page.clock.fastForward(120_000)
      await page.clock.fastForward(120_000)
      expect(asked).toBe(before)
      const again = page.waitForRequest('**/api/events')
      await show('visible')
      expect((await again).headers()['last-event-id']).toBe('call-7')
    })
  })
})

describe('what a page needs', () => {
  it('is fetched again where all of it broke off once: code and words', async () => {
    const broken = new Set<string>()
    const visit = async (page: Page, url: string) => {
      await signedIn(page, url)
      await page.route(/\/assets\/(?!first|theme).*\.js$/, (route) => {
        const asked = route.request().url()
        if (broken.has(asked)) return route.continue()
        broken.add(asked)
        return route.abort('connectionaborted')
      })
      await page.goto(`${url}/app/keys`)
      await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
    }
    await withPage(
      shellAnswers('administrator'),
      visit,
      (fault) => !/Failed to fetch|ERR_CONNECTION_ABORTED/.test(fault),
    )
    expect(broken.size).toBeGreaterThan(1)
  })
})

/** Runs `visit` in a fresh page, and finds fault with every violation of the policy and every error on the console. */
async function withPage(
  answers: Answers,
  visit: (page: Page, url: string) => Promise<void>,
  isFault: (text: string) => boolean = () => true,
): Promise<void> {
  const server = await serveDashboard(DASHBOARD_DIR, answers)
  if (browser === undefined) throw new Error('the browser has not been started')
  const context = await browser.newContext({ locale: 'en-GB' })
  const page = await context.newPage()
  // As in the other tests of the dashboard: less than a test has, so that the step that failed is named.
  page.setDefaultTimeout(60_000)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    // A refused request is what some of these tests are about; the browser notes it by itself.
    const isNoted = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isNoted) faults.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${server.url}/`)) faults.push(`asked for ${request.url()}`)
  })
  try {
    await visit(page, server.url)
  } finally {
    await context.close()
    await server.close()
  }
  expect(faults.filter(isFault)).toEqual([])
}

async function signedIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/app/sign-in`)
  await page.evaluate(`sessionStorage.setItem('farebox-session', '${TOKEN}')`)
}
