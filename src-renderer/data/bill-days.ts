// Days of bills as the page shows them.

import type { BillDay } from '#contract/bills.ts'

type TokenCounts = NonNullable<BillDay['tokens']>['ours']

export function billId({ day, provider }: Pick<BillDay, 'day' | 'provider'>): string {
  return `${day} ${provider}`
}

/** Theirs less ours; undefined where no report of tokens is kept. */
export function tokenDifference({ tokens }: Pick<BillDay, 'tokens'>): number | undefined {
  return tokens === null ? undefined : tokenSum(tokens.theirs) - tokenSum(tokens.ours)
}

export function tokenSum({ input, cache_read: read, cache_write: written, output }: TokenCounts): number {
  return input + read + written + output
}

/** Exact decimal text with up to twelve decimals, as an amount of micro-credits: what is finer is cut off. */
export function microOfText(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  const micro = BigInt(whole) * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'))
  return text.startsWith('-') ? -micro : micro
}

/** Of a kind of amounts, to the last of twelve decimals. */
function sumOfTexts(texts: readonly string[]): string {
  const sum = texts.reduce((total, text) => total + partsOf(text), 0n)
  const digits = String(sum < 0n ? -sum : sum).padStart(PLACES + 1, '0')
  const fraction = digits.slice(-PLACES).replace(/(?<!0)0+$/, '')
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -PLACES)}${fraction === '' ? '' : `.${fraction}`}`
}

const PLACES = 12

function partsOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  const parts = BigInt(whole + fraction.slice(0, PLACES).padEnd(PLACES, '0'))
  return text.startsWith('-') ? -parts : parts
}

export type MonthOfBills = {
  readonly ours: string
  readonly theirs: string
  /** Of which money is known, of UTC. */
  readonly days: number
  readonly lastDay: string
  readonly madeAt: string
}

type ReportedSpend = { readonly today: BillDay | undefined; readonly month: MonthOfBills | undefined }

/** What a provider says was spent today and this month of UTC, beside ours of the same days; undefined where it says nothing of them. */
export function reportedSpend(days: readonly BillDay[], provider: string, nowMs: number): ReportedSpend {
  const now = new Date(nowMs).toISOString()
  const ofMonth = days.filter((one) => one.provider === provider && one.day.startsWith(now.slice(0, 7)))
  const billed = ofMonth.flatMap(({ day, money, made_at: madeAt }) => (money === null ? [] : { day, madeAt, ...money }))
  return {
    today: ofMonth.find(({ day }) => day === now.slice(0, 10)),
    month:
      billed.length === 0
        ? undefined
        : {
            ours: sumOfTexts(billed.map(({ ours }) => ours)),
            theirs: sumOfTexts(billed.map(({ theirs }) => theirs)),
            days: billed.length,
            lastDay: latest(billed.map(({ day }) => day)),
            madeAt: latest(billed.map(({ madeAt }) => madeAt)),
          },
  }
}

function latest(texts: readonly string[]): string {
  return texts.reduce((last, text) => (text > last ? text : last), '')
}

/** The last whole day of UTC before an instant, as `2026-11-22`. */
export function lastDayBefore(instant: string): string {
  const dayMs = 86_400_000
  return new Date(Math.floor(Date.parse(instant) / dayMs) * dayMs - 1).toISOString().slice(0, 10)
}

/** Names that somebody typed with commas between them; undefined where there are none. */
export function namesIn(text: string): string[] | undefined {
  const names = text.split(',').flatMap((name) => name.trim() || [])
  return names.length === 0 ? undefined : names
}
