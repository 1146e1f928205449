// The sums of a scan: by day, tool, model and project. What is kept of a call is a number that stands for its id, and the usage that was
// counted for it.

import { createHash } from 'node:crypto'
import type { Price } from '#core/price.ts'
import { priceOf } from '#core/pricing.ts'
import type { TokenUsage } from '#core/usage.ts'
import { mostOf } from '#scan/most-usage.ts'
import type { LoggedCall } from '#scan/log-format.ts'

/** Calls beyond this are counted as if each were new: a usage is kept for each of them. */
const MAX_KNOWN_CALLS = 2_000_000
/** What is beyond these rows is in one more of each tool, of no day and no project. */
const MAX_ROWS = 200_000
const OTHER_MODELS = 'other'
const MAX_NAME = 120
/** Sixteen hexadecimal digits are more than a number can hold exactly, thirteen are not. */
const ID_DIGITS = 13

export type ScanRow = {
  readonly day: string
  readonly tool: string
  readonly model: string
  readonly project: string
  readonly calls: number
  readonly input_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly output_tokens: number
  /** Millionths; null where nothing of it has a price. */
  readonly cost_micro: number | null
}
type Row = { -readonly [Name in keyof ScanRow]: ScanRow[Name] }
type Counts = Omit<ScanRow, 'day' | 'tool' | 'model' | 'project'>

const NOTHING: Counts = {
  calls: 0,
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  cost_micro: null,
}

export type TallyOptions = {
  readonly sinceMs: number
  readonly untilMs: number
  /** undefined for a model that has no price. */
  readonly priceOfModel: (model: string) => Price | undefined
}

export class Tally {
  readonly #options: TallyOptions
  readonly #rows = new Map<string, Row>()
  readonly #counted = new Map<number, TokenUsage>()

  constructor(options: TallyOptions) {
    this.#options = options
  }

  /** A call that is there already counts as what it has more than before: logs repeat calls, and begin with what is known of them first. */
  add(tool: string, call: LoggedCall): void {
    const { atMs, model } = call
    const isInRange = atMs > this.#options.sinceMs && atMs <= this.#options.untilMs
    if (!isInRange) return
    const id = call.id === undefined ? undefined : numberOf(`${tool} ${call.id}`)
    const before = id === undefined ? undefined : this.#counted.get(id)
    const usage = before === undefined ? call.usage : mostOf(before, call.usage)
    const growth = growthOf(before, usage, this.#options.priceOfModel(model))
    if (Object.values(growth).every((count) => !count)) return
    if (id !== undefined) this.#remember(id, usage)
    addTo(this.#rowOf(tool, call), growth)
  }

  rows(): ScanRow[] {
    return [...this.#rows.values()]
  }

  #remember(id: number, usage: TokenUsage): void {
    if (this.#counted.size < MAX_KNOWN_CALLS || this.#counted.has(id)) this.#counted.set(id, usage)
  }

  #rowOf(tool: string, { atMs, model, project }: LoggedCall): Row {
    const key = { day: dayOf(atMs), tool, model: model.slice(0, MAX_NAME), project: project.slice(0, MAX_NAME) }
    const known = this.#rows.get(nameOf(key))
    if (known !== undefined) return known
    const place = this.#rows.size < MAX_ROWS ? key : { day: '', tool, model: OTHER_MODELS, project: '' }
    const row = this.#rows.get(nameOf(place)) ?? { ...place, ...NOTHING }
    this.#rows.set(nameOf(place), row)
    return row
  }
}

/** What a row has more by a call, and by what is known of the call later. */
function growthOf(before: TokenUsage | undefined, usage: TokenUsage, price: Price | undefined): Counts {
  const cost = (of: TokenUsage | undefined) => (of === undefined || price === undefined ? 0 : priceOf(of, price))
  return {
    calls: before === undefined ? 1 : 0,
    input_tokens: (usage.inputTokens ?? 0) - (before?.inputTokens ?? 0),
    cache_read_tokens: (usage.cacheReadTokens ?? 0) - (before?.cacheReadTokens ?? 0),
    cache_write_tokens: (usage.cacheWriteTokens ?? 0) - (before?.cacheWriteTokens ?? 0),
    output_tokens: (usage.outputTokens ?? 0) - (before?.outputTokens ?? 0),
    cost_micro: price === undefined ? null : cost(usage) - cost(before),
  }
}

function addTo(row: Row, growth: Counts): void {
  row.calls += growth.calls
  row.input_tokens += growth.input_tokens
  row.cache_read_tokens += growth.cache_read_tokens
  row.cache_write_tokens += growth.cache_write_tokens
  row.output_tokens += growth.output_tokens
  if (growth.cost_micro !== null) row.cost_micro = (row.cost_micro ?? 0) + growth.cost_micro
}

function nameOf({ day, tool, model, project }: Pick<Row, 'day' | 'tool' | 'model' | 'project'>): string {
  return [day, tool, model, project].join('\n')
}

/** Of this machine's time zone: a day is what people call one. */
function dayOf(atMs: number): string {
  const date = new Date(atMs)
  const parts = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return [date.getFullYear(), ...parts].join('-')
}

function numberOf(id: string): number {
  return Number.parseInt(createHash('sha256').update(id).digest('hex').slice(0, ID_DIGITS), 16)
}
