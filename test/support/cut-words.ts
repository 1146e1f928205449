// Finds words of the dashboard that do not fit where they stand, in a page of a browser, and such that were left in English. One script
// in the page goes through all languages: asking the browser each time would take longer than looking.

import type { Page } from 'playwright-core'
import type { Language } from '../../src-renderer/data/languages.ts'
import { catalogue, cataloguesOf } from './words.ts'

/** What has words of the dashboard in it that have to be read whole. */
const READ_WHOLE =
  'button, a, h1, h2, h3, h4, th, label, legend, nav, nav li, [role=tab], [role=radio], [role=menuitem], dt'
/** What has a height of its own, beyond which a second line would stand. */
const OF_ONE_HEIGHT = 'button, nav a, [role=tab], [role=radio], [role=menuitem]'
const STEP_LIMIT_MS = 60_000

/** To be called once for a page of the browser, before `cutWords`. */
export async function bringWords(page: Page, languages: readonly Language[]): Promise<void> {
  const words = JSON.stringify(languages.map((language) => [language, wordsOf(language)]))
  const selectors = JSON.stringify({ READ_WHOLE, OF_ONE_HEIGHT, STEP_LIMIT_MS })
  await page.evaluate(`window.lookAtWords = (${LOOK})(${words}, ${selectors})`)
}

/** What is wrong with the words that the page shows, in each language that was brought, a line for each. It speaks the last one then. */
export function cutWords(page: Page): Promise<string[]> {
  return page.evaluate<string[]>('window.lookAtWords()')
}

/** `own` are the words of the language that stand by themselves, `foreign` those of English that nobody should meet in it. */
function wordsOf(language: Language) {
  const all = (tag: Language) =>
    cataloguesOf('en').flatMap((name) => [...catalogue(tag, name).values()].filter((text) => !text.includes('{{')))
  const own = new Set(all(language))
  const settings = catalogue(language, 'common').get('pages.settings') ?? ''
  return { own: [...own], foreign: all('en').filter((text) => !own.has(text)), settings }
}

/** Runs in the page. Inline elements have no width of their own to compare; what they overflow is a block around them. */
const LOOK = String.raw`(words, { READ_WHOLE, OF_ONE_HEIGHT, STEP_LIMIT_MS }) => {
  const known = words.map(([language, { own, foreign, settings }]) => [language, { own: new Set(own), foreign: new Set(foreign), settings }])
  /** Room that the browser keeps in a field for searching, for the cross that empties it. */
  const CROSS = 15
  const measure = document.createElement('canvas').getContext('2d')

  /** As if it had been chosen in another tab. */
  const speak = (language, settings) => new Promise((done, fail) => {
    localStorage.setItem('farebox-language', language)
    dispatchEvent(new StorageEvent('storage'))
    const latest = performance.now() + STEP_LIMIT_MS
    const wait = () => {
      const isThere = [...document.querySelectorAll('nav a')].some((link) => link.textContent === settings)
      if (isThere && document.documentElement.lang === language) done()
      else if (performance.now() > latest) fail(new Error('the page does not speak ' + language))
      else setTimeout(wait, 5)
    }
    wait()
  })
  const isSeen = (element) => {
    const box = element.getBoundingClientRect()
    return box.width > 2 && box.height > 2 && getComputedStyle(element).visibility !== 'hidden'
  }
  const widthOf = (text, style) => {
    measure.font = style.font
    return measure.measureText(text).width
  }
  const look = ({ own, foreign }) => {
    const found = new Set()
    const say = (element, fault) => {
      const text = (element.innerText ?? '').trim() || element.getAttribute('aria-label') || ''
      found.add(element.tagName.toLowerCase() + ' "' + text.replace(/\s+/g, ' ').slice(0, 60) + '" ' + fault)
    }
    const cutters = new Map([[null, { edges: [], isScrolled: false }]])
    /** The edges that cut what is in an element, as far out as nothing can be scrolled. Nothing moves meanwhile. */
    const cuttersOf = (around) => {
      const known = cutters.get(around)
      if (known !== undefined) return known
      const { overflowX, position } = getComputedStyle(around)
      const isScrolled = overflowX === 'auto' || overflowX === 'scroll'
      const beyond = isScrolled || position === 'fixed' ? { edges: [], isScrolled } : cuttersOf(around.parentElement)
      const isCutting = overflowX === 'hidden' || overflowX === 'clip'
      const made = isCutting ? { ...beyond, edges: [around.getBoundingClientRect(), ...beyond.edges] } : beyond
      cutters.set(around, made)
      return made
    }
    const lookAtClipping = (element) => {
      const box = element.getBoundingClientRect()
      const { edges, isScrolled } = cuttersOf(element.parentElement)
      if (edges.some((edge) => box.right > edge.right + 1 || box.left < edge.left - 1)) say(element, 'is cut by what is around it')
      else if (!isScrolled && (box.right > innerWidth + 1 || box.left < -1)) say(element, 'is beyond the edge of the window')
    }
    const lookAt = (element) => {
      if (!isSeen(element)) return
      if (getComputedStyle(element).display !== 'inline') {
        const wider = element.scrollWidth - element.clientWidth
        if (wider > 1) say(element, 'is wider than its place by ' + wider)
        const higher = element.scrollHeight - element.clientHeight
        if (higher > 2 && element.matches(OF_ONE_HEIGHT)) say(element, 'is higher than its place by ' + higher)
      }
      lookAtClipping(element)
    }
    if (document.documentElement.scrollWidth > innerWidth) found.add('the page is ' + document.documentElement.scrollWidth + ' wide')
    const top = [...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu]')].at(-1) ?? document.body
    for (const element of top.querySelectorAll(READ_WHOLE)) lookAt(element)
    const texts = document.createTreeWalker(top, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const element = node.parentElement
      const text = node.data.trim()
      if (!(foreign.has(text) || own.has(text)) || element.matches('textarea, option, pre *, code') || !isSeen(element)) continue
      if (foreign.has(text)) say(element, 'is left in English')
      else if (!element.matches(READ_WHOLE)) lookAt(element)
    }
    for (const element of top.querySelectorAll('select, input[placeholder]')) {
      const text = element.matches('select') ? (element.selectedOptions[0]?.text ?? '') : element.placeholder
      if (!own.has(text) || !isSeen(element)) continue
      const style = getComputedStyle(element)
      const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight)
      const wider = widthOf(text, style) - (element.clientWidth - padding - (element.type === 'search' ? CROSS : 0))
      if (wider > 1) say(element, '"' + text + '" is wider than its place by ' + Math.ceil(wider))
    }
    return [...found]
  }
  return async () => {
    const found = []
    const { style } = document.documentElement
    // What is looked at is where everything stands: nobody sees what would be painted meanwhile.
    style.opacity = '0'
    for (const [language, { settings, ...own }] of known) {
      await speak(language, settings)
      found.push(...look(own).map((fault) => language + ': ' + fault))
    }
    style.opacity = ''
    return found
  }
}`
