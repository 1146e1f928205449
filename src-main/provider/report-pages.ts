// Asks a provider for its reports with the secret of its administrator: all pages of all of them, or a sentence why not. The secret goes
// nowhere but to the origin that it was given for: addresses are put together from that origin and paths of ours, no redirect is
// followed, and of what a page says only the name of the next one is sent back, as the value of a query.

import { billSecretReference } from '#core/bill-secret.ts'
import type { Provider } from '#core/entities.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { retryAfterMs } from '#core/retry-after.ts'
import { SecretFailure } from '#core/secret-failure.ts'
import type { JsonBounds } from '#dialect/json-meter.ts'
import { ask, type Answer, type NoAnswer, type WayOut } from '#provider/ask.ts'
import type { SecretKeeper } from '#secret/port.ts'

export type ReportQuestion = {
  /** What its pages are marked with: a page without results does not say what it is about. */
  readonly report: string
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  /** The key that its pages are about, and marked with, where they do not name it. */
  readonly account?: string | undefined
}

export type ReportQuestions<Page> = {
  readonly questions: readonly ReportQuestion[]
  readonly headers: (secret: string) => Readonly<Record<string, string>>
  /** What is kept of the text of a page; undefined for what is none. `marks` is what a page does not say of itself. */
  readonly readPage: (text: string, marks: object) => Promise<ReportPage<Page> | undefined>
  /** What could not be read, and what a provider says that has none of it; a report unless given. */
  readonly words?: AskedWords
}

type ReportPage<Page> = {
  readonly next: { readonly type: 'last' | 'unclear' } | { readonly type: 'next'; readonly page: string }
  readonly kept: Page
}

type AskedWords = { readonly what: string; readonly missing: string }
const REPORT_WORDS: AskedWords = { what: 'The report', missing: 'It has no such reports (404).' }

export type ReportPagesDeps = {
  readonly secrets: Pick<SecretKeeper, 'get' | 'known'>
  readonly connections: WayOut
  readonly userAgent: string
  readonly clock: { readonly monotonicMs: () => number; readonly nowMs: () => number }
  /** Before the first repetition; twice as long before each further one. */
  readonly retryDelayMs: number
  readonly wait: (ms: number) => Promise<unknown>
}

const PAGE_LIMIT_MS = 30_000
/** For all of it, pauses included: other reports wait meanwhile. Whoever asks by a command waits a little longer than this. */
const REPORT_LIMIT_MS = 240_000
const ATTEMPTS = 4
/** A provider that wants to be left alone for longer is asked again by whoever asked for the report. */
const LONGEST_WAIT_MS = 30_000
/** Of all reports together. */
const MAX_BYTES = 64 * 1_048_576
/** A longer one takes too long to decode. */
const MAX_PAGE_BYTES = 8 * 1_048_576
const MAX_PAGES = 500
/** Of a page: some ten thousand lines. */
const PAGE_BOUNDS: JsonBounds = { depth: 200, pieces: 1_000_000, members: 600_000, outermost: 1000, values: 1_000_000 }
/** Of all pages: as many lines as are read. */
const MAX_PIECES = 4_000_000

export async function readReportPages<Page>(
  provider: Provider,
  { questions, headers, readPage, words = REPORT_WORDS }: ReportQuestions<Page>,
  deps: ReportPagesDeps,
): Promise<readonly Page[] | Refusal> {
  const failed = (says: string) => failure(says, words)
  const reference = billSecretReference(provider)
  const secret = await secretAt(reference, deps)
  if (typeof secret !== 'string') return secret
  const shown = { 'user-agent': deps.userAgent, ...headers(secret) }
  const pages: Page[] = []
  const untilMs = deps.clock.monotonicMs() + REPORT_LIMIT_MS
  let bytesLeft = MAX_BYTES
  let piecesLeft = MAX_PIECES
  for (const { report, path, query, account } of questions) {
    const asked = new Set<string>()
    const read = (text: string) => readPage(text, { report, ...(account !== undefined && { account }) })
    let page: string | undefined
    do {
      const url = addressOf(reference.origin, path, page === undefined ? query : [...query, ['page', page]])
      const question = { url, headers: shown, maxBytes: Math.min(bytesLeft, MAX_PAGE_BYTES), untilMs, read }
      const { answer, page: found } = await askPatiently(provider, question, deps)
      if (deps.clock.monotonicMs() >= untilMs) return failed('It takes longer than four minutes. Take fewer days.')
      if (answer.type === 'problem') return failed(`It could not be reached (${answer.detail}).`)
      if (answer.status !== 200) return refusedBy(answer, deps.clock.nowMs(), words)
      bytesLeft -= Buffer.byteLength(answer.text)
      piecesLeft -= answer.pieces
      const isTooLarge = bytesLeft <= 0 || piecesLeft <= 0 || answer.isExcessive || pages.length >= MAX_PAGES
      if (isTooLarge) return failed('Its report is too large. Take fewer days.')
      if (found === undefined || found.next.type === 'unclear')
        return failed('A page of its report is damaged, or is none.')
      pages.push(found.kept)
      page = found.next.type === 'next' ? found.next.page : undefined
      if (page !== undefined && asked.has(page)) return failed('The pages of its report go round in a circle.')
      asked.add(page ?? '')
    } while (page !== undefined)
  }
  return pages
}

async function secretAt(
  reference: ReturnType<typeof billSecretReference>,
  { secrets }: ReportPagesDeps,
): Promise<string | Refusal> {
  try {
    const secret = await secrets.get(reference)
    const advice = "Give it one with 'farebox bills secret add', or name a file."
    return secret ?? refuse('conflict', `There is no administrator's secret for ${reference.origin}. ${advice}`)
  } catch (error) {
    if (error instanceof SecretFailure) return refuse('no_secret_store', error.message)
    throw error
  }
}

/** The page's own words can change no more of it than a value. */
function addressOf(origin: string, path: string, query: readonly (readonly [string, string])[]): string {
  return `${origin}${path}?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString()}`
}

type PageQuestion<Page> = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly maxBytes: number
  readonly read: (text: string) => Promise<ReportPage<Page> | undefined>
  /** By the clock that only goes forward. */
  readonly untilMs: number
}

/** Again where it is too busy, has a fault of its own or breaks off: a report that is asked for twice costs nothing. */
async function askPatiently<Page>(
  provider: Provider,
  { untilMs, read, ...question }: PageQuestion<Page>,
  { secrets, connections, clock, retryDelayMs, wait }: ReportPagesDeps,
): Promise<{ readonly answer: Answer | NoAnswer; readonly page: ReportPage<Page> | undefined }> {
  const known = [...secrets.known(billSecretReference(provider).providerId), ...secrets.known(provider.id)]
  const dispatcherOf = () => connections.pool(provider)
  for (let attempt = 1; ; attempt++) {
    // A pause may have been a little longer than was asked for.
    const leftMs = Math.max(1, Math.ceil(untilMs - clock.monotonicMs()))
    const timeLimitMs = Math.min(PAGE_LIMIT_MS, leftMs)
    const limits = { timeLimitMs, bounds: PAGE_BOUNDS }
    const answer = await ask({ ...question, ...limits, method: 'GET', secrets: known, dispatcherOf })
    const isPage = answer.type === 'answer' && answer.status === 200 && !answer.isExcessive
    const page = isPage ? await read(answer.text) : undefined
    const delayMs = Math.max(retryDelayMs * 2 ** (attempt - 1), wishedDelayMs(answer, clock.nowMs()))
    const longestMs = Math.min(LONGEST_WAIT_MS, untilMs - clock.monotonicMs() - 1)
    const mayPass = isPage ? page === undefined : isPassing(answer)
    if (attempt >= ATTEMPTS || !mayPass || delayMs > longestMs) return { answer, page }
    await wait(delayMs)
  }
}

function isPassing(answer: Answer | NoAnswer): boolean {
  if (answer.type === 'problem') return true
  return answer.status === 429 || answer.status >= 500
}

function wishedDelayMs(answer: Answer | NoAnswer, nowMs: number): number {
  return answer.type === 'answer' ? (retryAfterMs(answer.headers['retry-after'], nowMs) ?? 0) : 0
}

function judge(status: number, { missing }: AskedWords): string {
  if (status === 401 || status === 403)
    return `It refuses the administrator's secret, or that has no rights to read it (${status}).`
  if (status === 404) return missing
  if (status >= 300 && status < 400) return `It redirects (${status}), which is not followed.`
  return `It answers ${status}.`
}

function refusedBy(answer: Answer, nowMs: number, words: AskedWords): Refusal {
  const waitMs = wishedDelayMs(answer, nowMs)
  return {
    ...failure(judge(answer.status, words), words),
    ...(waitMs > 0 && { retryAfterSeconds: Math.ceil(waitMs / 1000) }),
  }
}

function failure(says: string, { what }: AskedWords): Refusal {
  return refuse('upstream_error', `${what} could not be read. ${says}`)
}
