// Fetches the price card from its feed when somebody asks for it, and keeps every version as it was signed: a file for each, whose
// signature is checked anew whenever it is read. The feed is asked for nothing else and told nothing.

import type { KeyObject } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cardKeyOf, isSameCard, readSignedCard } from '#catalog/card-feed.ts'
import { loadPriceCard } from '#catalog/resources.ts'
import type { CardFetched, CardVersion, FeedCard } from '#contract/price-feed.ts'
import { refuse, isRefusal, type Refusal } from '#core/refusal.ts'
import { ask, type WayOut } from '#provider/ask.ts'
import type { PriceFeed } from '#server/admin/admin-deps.ts'

type PriceFeedOptions = {
  readonly dataDir: string
  /** undefined where no feed is named. */
  readonly priceFeed: string | undefined
  /** Base64, with commas between them. */
  readonly priceFeedKeys: string | undefined
  readonly connections: WayOut
  readonly nowMs: () => number
  readonly userAgent: string
}

const FOLDER = 'price-cards'
const MAX_BYTES = 5_000_000
const TIME_LIMIT_MS = 20_000
/** The latest of them are kept. */
const MAX_KEPT = 200

export function priceFeed(options: PriceFeedOptions): PriceFeed {
  const folder = join(options.dataDir, FOLDER)
  return {
    versions() {
      const { date, entries } = loadPriceCard()
      const kept = keptVersions(folder).flatMap((version): CardVersion[] => {
        const card = readKept(version)
        return isRefusal(card) ? [] : [{ version, date: card.date, entries: card.entries.length }]
      })
      return [...kept, { version: null, date, entries: entries.length }]
    },
    card: (version) => (version === undefined ? loadPriceCard() : readKept(version)),
    async fetchCard() {
      const text = await fetchText(options)
      if (isRefusal(text)) return text
      const card = readText(text, options)
      return isRefusal(card) ? card : keep(card, text)
    },
  }

  function readKept(version: number): FeedCard | Refusal {
    const none = refuse('not_found', `There is no version ${version} of the price card.`, { param: 'card' })
    if (!keptVersions(folder).includes(version)) return none
    return readText(readFileSync(fileOf(folder, version), 'utf8'), options)
  }

  function keep(card: FeedCard, text: string): CardFetched | Refusal {
    const { version, date, entries } = card
    const said = { version, date, entries: entries.length }
    const [latest = 0] = keptVersions(folder)
    if (version < latest) {
      return refuse('conflict', `The feed offers version ${version}, and version ${latest} is kept already.`)
    }
    if (version === latest) {
      const kept = readKept(version)
      if (!isRefusal(kept) && isSameCard(kept, card)) return { ...said, is_new: false }
      if (!isRefusal(kept)) return refuse('conflict', `The feed offers another version ${version} than before.`)
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const draft = join(folder, `${version}.new`)
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    renameSync(draft, fileOf(folder, version))
    for (const old of keptVersions(folder).slice(MAX_KEPT)) rmSync(fileOf(folder, old), { force: true })
    return { ...said, is_new: true }
  }
}

function fileOf(folder: string, version: number): string {
  return join(folder, `${version}.json`)
}

/** The latest one first. */
function keptVersions(folder: string): number[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (error) {
    // None was fetched yet.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  const versions = names.flatMap((name) => (/^[1-9]\d{0,6}\.json$/.test(name) ? [Number.parseInt(name, 10)] : []))
  return versions.toSorted((one, other) => other - one)
}

function readText(text: string, { priceFeedKeys, nowMs }: PriceFeedOptions): FeedCard | Refusal {
  const known = keysOf(priceFeedKeys)
  if (isRefusal(known)) return known
  const read = readSignedCard(text, known, new Date(nowMs()).toISOString().slice(0, 10))
  if (read.type === 'card') return read.card
  if (read.type === 'foreign') {
    return refuse('conflict', 'The price card is signed by none of the keys of FAREBOX_PRICE_FEED_KEYS.')
  }
  return refuse('upstream_error', `The price card cannot be used: ${read.problem}.`)
}

function keysOf(keys: string | undefined): readonly KeyObject[] | Refusal {
  const texts = (keys ?? '').split(',').flatMap((text) => (text.trim() === '' ? [] : [text.trim()]))
  const known = texts.map(cardKeyOf)
  const whole = known.flatMap((key) => (key === undefined ? [] : [key]))
  if (whole.length > 0 && whole.length === known.length) return whole
  return refuse('conflict', 'FAREBOX_PRICE_FEED_KEYS must name the public keys of the feed: 32 bytes each, in base64.')
}

async function fetchText({ priceFeed: address, connections, userAgent }: PriceFeedOptions): Promise<string | Refusal> {
  if (address === undefined) return refuse('conflict', 'No feed is named: set FAREBOX_PRICE_FEED to its address.')
  const { protocol, hostname } = new URL(address)
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
  if (protocol !== 'https:' && !isHere) return refuse('conflict', 'The feed has to be at an https:// address.')
  const destination = { baseUrl: address, network: isHere ? ('local' as const) : ('public' as const), timeLimits: {} }
  const answer = await ask({
    method: 'GET',
    url: address,
    headers: { 'user-agent': userAgent },
    dispatcherOf: () => connections.pool(destination),
    timeLimitMs: TIME_LIMIT_MS,
    maxBytes: MAX_BYTES,
  })
  if (answer.type === 'problem') return refuse('upstream_error', `The feed could not be reached (${answer.detail}).`)
  if (answer.status !== 200) return refuse('upstream_error', `The feed answers ${answer.status}.`)
  return answer.text
}
