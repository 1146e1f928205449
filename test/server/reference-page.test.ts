// The page of the reference in a real browser: complete without a script, under its content security policy, at any width.

import { request } from 'node:http'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '#server/reference/openapi.ts'
import { launchBrowser } from '../support/browser.ts'
import { startFarebox, type Farebox } from '../support/farebox.ts'

let farebox: Farebox
let browser: Browser

beforeAll(async () => {
  farebox = await startFarebox()
  browser = await launchBrowser()
}, 60_000)

afterAll(async () => {
  await browser.close()
  await farebox.close()
})

async function withPage(options: BrowserContextOptions, look: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('request', (asked) => {
    if (!asked.url().startsWith(farebox.url)) complaints.push(asked.url())
  })
  await page.goto(`${farebox.url}/docs`)
  await look(page)
  await context.close()
  expect(complaints).toEqual([])
}

describe('the page of the reference', () => {
  it('is text with a style of its own, and may do nothing else', async () => {
    const response = await fetch(`${farebox.url}/docs`)
    const html = await response.text()
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(html).not.toMatch(/<script|<style|\sstyle=|\son\w+=/)
    expect([...html.matchAll(/(?:href|src)="([^"#]+)"/g)].map((match) => match[1])).toEqual([
      '/docs/reference.css',
      '/docs/openapi.json',
    ])
  })

  it.each(['POST', 'PUT', 'DELETE'])('is only to be read: %s is refused', async (method) => {
    expect((await fetch(`${farebox.url}/docs`, { method })).status).toBe(404)
  })

  it('is for nobody who asks by another name', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const asked = request(`${farebox.url}/docs`, { headers: { host: 'rebound.example' } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      asked.once('error', reject).end()
    })
    expect(status).toBe(403)
  })

  it('has a place for every endpoint and every schema, to which all links lead', async () => {
    const document = (await (await fetch(`${farebox.url}/docs/openapi.json`)).json()) as OpenApiDocument
    const html = await (await fetch(`${farebox.url}/docs`)).text()
    const places = [...html.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(new Set(places).size).toBe(places.length)
    const own = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap((one) => (one['x-farebox-same-as'] === undefined ? [one.operationId] : [])),
    )
    const schemas = Object.keys(document.components.schemas).map((name) => `schema-${name}`)
    expect(places).toEqual(expect.arrayContaining([...own, ...schemas]))
    const links = [...html.matchAll(/href="#([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(links.filter((link) => !places.includes(link))).toEqual([])
  })

  it('has examples with the address under which it is read', async () => {
    const html = await (await fetch(`${farebox.url}/docs`)).text()
    expect(html).toContain(`curl ${farebox.url}/v1/balance`)
    expect(html).not.toContain('farebox.invalid')
  })

  it.each([
    ['light', 1200],
    ['dark', 1200],
    ['light', 420],
    ['dark', 420],
  ] as const)('is readable without a script, %s and %i pixels wide', async (colorScheme, width) => {
    const options = { colorScheme, viewport: { width, height: 900 }, javaScriptEnabled: false }
    await withPage(options, async (page) => {
      expect(await page.getByRole('heading', { name: 'POST /v1/chat/completions' }).count()).toBe(1)
      const box = await page.locator('main').boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(width)
      const chat = await page.locator('#chat').boundingBox()
      expect((chat?.x ?? 0) + (chat?.width ?? Infinity)).toBeLessThanOrEqual(width)
    })
  })

  it.each(['light', 'dark'] as const)(
    'passes the checks for accessibility: %s',
    async (colorScheme) => {
      const context = await browser.newContext({ colorScheme, bypassCSP: true, viewport: { width: 420, height: 900 } })
      const page = await context.newPage()
      await page.goto(`${farebox.url}/docs`)
      await page.addScriptTag({ content: axe.source })
      const violations = await page.evaluate(async () => {
        const { axe: tool } = globalThis as unknown as { axe: { run(parts: object): Promise<axe.AxeResults> } }
        const { violations: found } = await tool.run({
          include: ['header', 'nav', '#calling', '#group-calls', '#schema-ModelCreate'],
        })
        return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
      })
      await context.close()
      expect(violations).toEqual([])
    },
    60_000,
  )
})
