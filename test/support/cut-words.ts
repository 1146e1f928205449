// Finds words of the dashboard that do not fit where they stand, in a page of a browser, and such that were left in English.

import type { Page } from 'playwright-core'
import type { Language } from '../../src-renderer/data/languages.ts'
import { catalogue, cataloguesOf } from './words.ts'

/** What has words of the dashboard in it that have to be read whole. */
const READ_WHOLE =
  'button, a, h1, h2, h3, h4, th, label, legend, nav, nav li, [role=tab], [role=radio], [role=menuitem], dt'
/** What has a height of its own, beyond which a second line would stand. */
const OF_ONE_HEIGHT = 'button, nav a, [role=tab], [role=radio], [role=menuitem]'

const STEP_LIMIT_MS = 20_000

/** Shows the page in another language, as if it had been chosen in another tab, and waits until the words are there. */
export async function speak(page: Page, language: Language): Promise<void> {
  const settings = catalogue(language, 'common').get('pages.settings') ?? ''
  await page.evaluate(`new Promise((done, fail) => {
    localStorage.setItem('farebox-language', '${language}')
    dispatchEvent(new StorageEvent('storage'))
    const latest = performance.now() + ${STEP_LIMIT_MS}
    const look = () => {
      const isThere = [...document.querySelectorAll('nav a')].some((link) => link.textContent === ${JSON.stringify(settings)})
      if (isThere && document.documentElement.lang === '${language}') done()
      else if (performance.now() > latest) fail(new Error('the page does not speak ${language}'))
      else requestAnimationFrame(look)
    }
    look()
  })`)
}

/** What is wrong with the words that the page shows, a line for each. */
export async function cutWords(page: Page, language: Language): Promise<string[]> {
  const { own, english } = wordsOf(language)
  return page.evaluate<string[]>(`(${FIND})(${JSON.stringify({ own, english, READ_WHOLE, OF_ONE_HEIGHT })})`)
}

type Words = { readonly own: readonly string[]; readonly english: readonly string[] }
const known = new Map<Language, Words>()

/** `own` are those of the language that stand by themselves, `english` those that nobody should meet in it. */
function wordsOf(language: Language): Words {
  const found = known.get(language)
  if (found !== undefined) return found
  const all = (tag: Language) =>
    cataloguesOf('en').flatMap((name) => [...catalogue(tag, name).values()].filter((text) => !text.includes('{{')))
  const own = new Set(all(language))
  const made = { own: [...own], english: all('en').filter((text) => !own.has(text)) }
  known.set(language, made)
  return made
}

/** Runs in the page. Inline elements have no width of their own to compare; what they overflow is a block around them. */
const FIND = String.raw`({ own, english, READ_WHOLE, OF_ONE_HEIGHT }) => {
  const found = new Set()
  const ownWords = new Set(own)
  const foreign = new Set(english)
  const measure = document.createElement('canvas').getContext('2d')
  const say = (element, fault) => {
    const words = (element.innerText ?? '').trim() || element.getAttribute('aria-label') || element.getAttribute('placeholder') || ''
    found.add(element.tagName.toLowerCase() + ' "' + words.replace(/\s+/g, ' ').slice(0, 60) + '" ' + fault)
  }
  const isSeen = (element) => {
    const box = element.getBoundingClientRect()
    return box.width > 2 && box.height > 2 && getComputedStyle(element).visibility !== 'hidden'
  }
  const widthOf = (text, style) => {
    measure.font = style.font
    return measure.measureText(text).width
  }
  const lookAtClipping = (element) => {
    const box = element.getBoundingClientRect()
    for (let around = element.parentElement; around !== null; around = around.parentElement) {
      const { overflowX, position } = getComputedStyle(around)
      if (overflowX === 'auto' || overflowX === 'scroll') return
      const edge = around.getBoundingClientRect()
      const isOver = box.right > edge.right + 1 || box.left < edge.left - 1
      if ((overflowX === 'hidden' || overflowX === 'clip') && isOver) return say(element, 'is cut by what is around it')
      if (position === 'fixed') break
    }
    if (box.right > innerWidth + 1 || box.left < -1) say(element, 'is beyond the edge of the window')
  }
  const lookAt = (element) => {
    if (!isSeen(element)) return
    const style = getComputedStyle(element)
    if (style.display !== 'inline') {
      if (element.scrollWidth > element.clientWidth + 1) say(element, 'is wider than its place by ' + (element.scrollWidth - element.clientWidth))
      if (element.matches(OF_ONE_HEIGHT) && element.scrollHeight > element.clientHeight + 2) say(element, 'is higher than its place by ' + (element.scrollHeight - element.clientHeight))
    }
    lookAtClipping(element)
  }
  if (document.documentElement.scrollWidth > innerWidth) found.add('the page is ' + document.documentElement.scrollWidth + ' wide')
  const top = [...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu]')].at(-1) ?? document.body
  for (const element of top.querySelectorAll(READ_WHOLE)) lookAt(element)
  for (const element of top.querySelectorAll('*')) {
    const [only, more] = element.childNodes
    if (only?.nodeType !== Node.TEXT_NODE || more !== undefined || element.matches('textarea, option') || !isSeen(element)) continue
    const text = only.data.trim()
    if (foreign.has(text) && element.closest('[lang], pre, code') === document.documentElement) say(element, 'is left in English')
    if (ownWords.has(text) && !element.matches(READ_WHOLE)) lookAt(element)
  }
  for (const element of top.querySelectorAll('select, input[placeholder]')) {
    if (!isSeen(element)) continue
    const style = getComputedStyle(element)
    const text = element.matches('select') ? element.selectedOptions[0]?.text ?? '' : element.placeholder
    const room = element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
    if (ownWords.has(text) && widthOf(text, style) > room + 1) say(element, '"' + text + '" is wider than its place by ' + Math.ceil(widthOf(text, style) - room))
    lookAtClipping(element)
  }
  return [...found]
}`
