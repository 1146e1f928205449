// The sums of a scan: by day, tool, model and project. What is kept of a call is a number that stands for its id, and how many tokens of
// output were counted for it.

import { createHash } from 'node:crypto'
import type { Price } from '#core/price.ts'
import { priceOf } from '#core/pricing.ts'
import type { TokenUsage } from '#core/usage.ts'
import type { LoggedCall } from '#scan/log-format.ts'

/** Calls beyond this are counted as if each were new; a Map takes no more than 16 million. */
const MAX_KNOWN_CALLS = 10_000_000
/** Rows beyond this are of no project. */
const MAX_ROWS = 200_000
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
  /** Millionths; null where the model has no price. */
  readonly cost_micro: number | null
}
type Row = { -readonly [Name in keyof ScanRow]: ScanRow[Name] }

export type TallyOptions = {
  readonly sinceMs: number
  readonly untilMs: number
  /** undefined for a model that has no price. */
  readonly priceOfModel: (model: string) => Price | undefined
}

export class Tally {
  readonly #options: TallyOptions
  readonly #rows = new Map<string, Row>()
  readonly #counted = new Map<number, number>()

  constructor(options: TallyOptions) {
    this.#options = options
  }

  /** A call that is there already counts as what it has more than before: logs repeat calls, and the last time says how long the answer was. */
  add(tool: string, call: LoggedCall): void {
    const { atMs, usage } = call
    const isInRange = atMs > this.#options.sinceMs && atMs <= this.#options.untilMs
    if (!isInRange) return
    const output = usage.outputTokens ?? 0
    const id = call.id === undefined ? undefined : numberOf(`${tool} ${call.id}`)
    const before = id === undefined ? undefined : this.#counted.get(id)
    if (id !== undefined && (before === undefined || output > before)) this.#remember(id, output)
    if (before === undefined) this.#count(this.#rowOf(tool, call), call)
    else if (output > before) this.#countMore(this.#rowOf(tool, call), call, before)
  }

  rows(): ScanRow[] {
    return [...this.#rows.values()]
  }

  #remember(id: number, output: number): void {
    if (this.#counted.size < MAX_KNOWN_CALLS || this.#counted.has(id)) this.#counted.set(id, output)
  }

  #count(row: Row, { model, usage }: LoggedCall): void {
    row.calls += 1
    row.input_tokens += usage.inputTokens ?? 0
    row.cache_read_tokens += usage.cacheReadTokens ?? 0
    row.cache_write_tokens += usage.cacheWriteTokens ?? 0
    row.output_tokens += usage.outputTokens ?? 0
    if (row.cost_micro !== null) row.cost_micro += this.#costOf(model, usage)
  }

  #countMore(row: Row, { model, usage }: LoggedCall, before: number): void {
    row.output_tokens += (usage.outputTokens ?? 0) - before
    if (row.cost_micro === null) return
    row.cost_micro += this.#costOf(model, usage) - this.#costOf(model, { ...usage, outputTokens: before })
  }

  #costOf(model: string, usage: TokenUsage): number {
    const price = this.#options.priceOfModel(model)
    return price === undefined ? 0 : priceOf(usage, price)
  }

  #rowOf(tool: string, { atMs, model, project }: LoggedCall): Row {
    const key = { day: dayOf(atMs), tool, model: model.slice(0, MAX_NAME), project: project.slice(0, MAX_NAME) }
    const known = this.#rows.get(nameOf(key))
    if (known !== undefined) return known
    const place = this.#rows.size < MAX_ROWS ? key : { ...key, project: '' }
    const row = this.#rows.get(nameOf(place)) ?? this.#emptyRow(place)
    this.#rows.set(nameOf(place), row)
    return row
  }

  #emptyRow(key: Pick<Row, 'day' | 'tool' | 'model' | 'project'>): Row {
    const hasPrice = this.#options.priceOfModel(key.model) !== undefined
    const none = { calls: 0, input_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 0 }
    return { ...key, ...none, cost_micro: hasPrice ? 0 : null }
  }
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
