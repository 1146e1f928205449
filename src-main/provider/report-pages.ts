// Asks a provider for its reports with the secret of its administrator: all pages of all of them, or a sentence why not. The secret goes
// nowhere but to the origin that it was given for: addresses are put together from that origin and paths of ours, no redirect is
// followed, and of what a page says only the name of the next one is sent back, as the value of a query.

import { billSecretReference } from '#core/bill-secret.ts'
import type { Provider } from '#core/entities.ts'
import { refuse, type Refusal } from '#core/refusal.ts'
import { retryAfterMs } from '#core/retry-after.ts'
import { SecretFailure } from '#core/secret-failure.ts'
import { ask, jsonOf, type Answer, type NoAnswer, type WayOut } from '#provider/ask.ts'
import type { SecretKeeper } from '#secret/port.ts'

export type ReportQuestion = {
  /** What its pages are marked with: a page without results does not say what it is about. */
  readonly report: string
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  /** The key that its pages are about, and marked with, where they do not name it. */
  readonly account?: string | undefined
}

export type ReportQuestions = {
  readonly questions: readonly ReportQuestion[]
  readonly headers: (secret: string) => Readonly<Record<string, string>>
  readonly nextPageOf: (
    page: unknown,
  ) => { readonly type: 'last' | 'unclear' } | { readonly type: 'next'; readonly page: string }
  /** What could not be read, and what a provider says that has none of it; a report unless given. */
  readonly words?: AskedWords
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
const MAX_PAGES = 500
/** Objects and lists of all reports together, a few for each line that is read. More of them would stop everything else while they are read. */
const MAX_PARTS = 1_000_000

export async function readReportPages(
  provider: Provider,
  { questions, headers, nextPageOf, words = REPORT_WORDS }: ReportQuestions,
  deps: ReportPagesDeps,
): Promise<readonly object[] | Refusal> {
  const failed = (says: string) => failure(says, words)
  const reference = billSecretReference(provider)
  const secret = await secretAt(reference, deps)
  if (typeof secret !== 'string') return secret
  const shown = { 'user-agent': deps.userAgent, ...headers(secret) }
  const pages: object[] = []
  const untilMs = deps.clock.monotonicMs() + REPORT_LIMIT_MS
  let bytesLeft = MAX_BYTES
  let partsLeft = MAX_PARTS
  for (const { report, path, query, account } of questions) {
    const asked = new Set<string>()
    let page: string | undefined
    do {
      const url = addressOf(reference.origin, path, page === undefined ? query : [...query, ['page', page]])
      const answer = await askPatiently(provider, { url, headers: shown, maxBytes: bytesLeft, untilMs }, deps)
      if (deps.clock.monotonicMs() >= untilMs) return failed('It takes longer than four minutes. Take fewer days.')
      if (answer.type === 'problem') return failed(`It could not be reached (${answer.detail}).`)
      if (answer.status !== 200) return refusedBy(answer, deps.clock.nowMs(), words)
      bytesLeft -= Buffer.byteLength(answer.text)
      partsLeft -= partsOf(answer)
      const isTooLarge = bytesLeft <= 0 || partsLeft <= 0 || pages.length >= MAX_PAGES
      if (isTooLarge) return failed('Its report is too large. Take fewer days.')
      const body = jsonOf(answer)
      const next = nextPageOf(body)
      if (next.type === 'unclear') return failed('A page of its report is damaged, or is none.')
      pages.push({ ...(body as object), report, ...(account !== undefined && { account }) })
      page = next.type === 'next' ? next.page : undefined
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

type PageQuestion = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly maxBytes: number
  /** By the clock that only goes forward. */
  readonly untilMs: number
}

/** Again where it is too busy, has a fault of its own or breaks off: a report that is asked for twice costs nothing. */
async function askPatiently(
  provider: Provider,
  { untilMs, ...question }: PageQuestion,
  { secrets, connections, clock, retryDelayMs, wait }: ReportPagesDeps,
): Promise<Answer | NoAnswer> {
  const known = [...secrets.known(billSecretReference(provider).providerId), ...secrets.known(provider.id)]
  const dispatcherOf = () => connections.pool(provider)
  for (let attempt = 1; ; attempt++) {
    // A pause may have been a little longer than was asked for.
    const leftMs = Math.max(1, Math.ceil(untilMs - clock.monotonicMs()))
    const timeLimitMs = Math.min(PAGE_LIMIT_MS, leftMs)
    const answer = await ask({ ...question, method: 'GET', secrets: known, dispatcherOf, timeLimitMs })
    const delayMs = Math.max(retryDelayMs * 2 ** (attempt - 1), wishedDelayMs(answer, clock.nowMs()))
    const longestMs = Math.min(LONGEST_WAIT_MS, untilMs - clock.monotonicMs() - 1)
    if (attempt >= ATTEMPTS || !isPassing(answer) || delayMs > longestMs) return answer
    await wait(delayMs)
  }
}

function isPassing(answer: Answer | NoAnswer): boolean {
  if (answer.type === 'problem') return true
  const { status } = answer
  if (status !== 200) return status === 429 || status >= 500
  return partsOf(answer) < MAX_PARTS && jsonOf(answer) === undefined
}

/** How many objects and lists it has, or more where texts have brackets; counted no further than matters. */
function partsOf({ text }: Answer): number {
  let parts = 0
  for (const bracket of ['{', '[']) {
    let at = text.indexOf(bracket)
    while (at >= 0 && parts < MAX_PARTS) {
      parts += 1
      at = text.indexOf(bracket, at + 1)
    }
  }
  return parts
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
