// The files that people download from the consoles of providers, as data: which columns they have, and what each of them says.

import type { Fields } from '#bills/fields.ts'
import type { Meaning } from '#contract/bill-columns.ts'

export type CsvFormat = {
  readonly name: string
  readonly tells: readonly ('usage' | 'costs')[]
  /** By their names as `columnName` makes them. Of two columns that say the same, the one that is named first here is read. */
  readonly columns: Readonly<Record<string, Meaning>>
  /** Without these it is another file. */
  readonly needs: readonly string[]
  /** What each of its lines says without a column for it. */
  readonly always?: Fields
}

export const FORMATS: readonly CsvFormat[] = [
  // platform.openai.com/usage, Export, seen in files of 2025-10-12.
  {
    name: 'OpenAI, usage',
    tells: ['usage'],
    needs: ['start_time', 'end_time', 'model', 'input_tokens', 'output_tokens'],
    columns: {
      start_time: 'start',
      end_time: 'end',
      model: 'model',
      input_tokens: 'input_all',
      input_cached_tokens: 'cache_read',
      input_cache_write_tokens: 'cache_write',
      output_tokens: 'output',
      num_model_requests: 'requests',
      api_key_id: 'account',
    },
  },
  {
    name: 'OpenAI, costs',
    tells: ['costs'],
    needs: ['start_time', 'end_time', 'amount_value', 'amount_currency'],
    columns: {
      start_time: 'start',
      end_time: 'end',
      amount_value: 'amount',
      amount_currency: 'currency',
      line_item: 'item',
    },
  },
  // The usage and cost pages of Anthropic's console, Export, seen in files of 2026-03-22.
  {
    name: 'Anthropic, usage',
    tells: ['usage'],
    needs: ['usage_date_utc', 'model_version', 'usage_input_tokens_no_cache', 'usage_output_tokens'],
    columns: {
      usage_date_utc: 'day',
      model_version: 'model',
      api_key: 'account',
      usage_input_tokens_no_cache: 'input',
      usage_input_tokens_cache_write_5m: 'cache_write',
      usage_input_tokens_cache_write_1h: 'cache_write_1h',
      usage_input_tokens_cache_read: 'cache_read',
      usage_output_tokens: 'output',
    },
  },
  {
    name: 'Anthropic, costs',
    tells: ['costs'],
    needs: ['usage_date_utc', 'model', 'cost_usd'],
    columns: { usage_date_utc: 'day', model: 'model', api_key: 'account', cost_usd: 'amount', cost_type: 'kind' },
  },
  // openrouter.ai/activity, Export: a line for each answer. Columns as programs read them that were published between 2025-12-16 and
  // 2026-09-14, seen on 2026-11-27; nothing was tried against a real account.
  {
    name: 'OpenRouter, activity',
    tells: ['usage', 'costs'],
    needs: ['generation_id', 'created_at', 'cost_total', 'tokens_prompt', 'tokens_completion', 'model_permaslug'],
    columns: {
      generation_id: 'id',
      created_at: 'at',
      model_permaslug: 'model',
      variant: 'variant',
      api_key_name: 'account',
      tokens_prompt: 'input_all',
      tokens_cached: 'cache_read',
      tokens_completion: 'output',
      cost_total: 'amount',
    },
    always: { requests: '1' },
  },
  // Google Cloud, Billing. Columns of all three as programs read them that were published up to 2026-09, seen on 2026-11-27; days are
  // those of US Pacific time (cloud.google.com/billing/docs/how-to/reports). Nothing was tried against a real account.
  {
    name: 'Google Cloud, report by day',
    tells: ['costs'],
    needs: ['date', 'service_description', 'sku_description'],
    columns: {
      date: 'pacific_day',
      service_description: 'service',
      sku_description: 'sku',
      project_id: 'account',
      currency: 'currency',
      unrounded_subtotal: 'amount',
      subtotal: 'amount',
    },
  },
  {
    name: 'Google Cloud, cost table',
    tells: ['costs'],
    needs: ['service_description', 'sku_description', 'usage_start_date', 'usage_end_date'],
    columns: {
      usage_start_date: 'pacific_start',
      usage_end_date: 'pacific_end',
      service_description: 'service',
      sku_description: 'sku',
      project_id: 'account',
      currency: 'currency',
      unrounded_cost: 'amount',
      cost: 'amount',
    },
  },
  {
    name: 'Google Cloud, BigQuery',
    tells: ['costs'],
    needs: ['usage_start_time', 'usage_end_time', 'service_description', 'sku_description', 'cost'],
    columns: {
      usage_start_time: 'start',
      usage_end_time: 'end',
      service_description: 'service',
      sku_description: 'sku',
      project_id: 'account',
      currency: 'currency',
      cost: 'amount',
    },
  },
]

/** How a column is named here: `SKU description`, `sku.description` and `Unrounded cost ($)` without case, dots and signs. */
export function columnName(column: string): string {
  const { words } = columnParts(column)
  return words.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
}

/** `Cost (€)`: its words, and what stands in the brackets at its end. */
export function columnParts(column: string): { readonly words: string; readonly inBrackets: string | undefined } {
  const text = column.trim()
  const open = text.indexOf('(', text.lastIndexOf(')', text.length - 2) + 1)
  if (!text.endsWith(')') || open === -1) return { words: text, inBrackets: undefined }
  return { words: text.slice(0, open).trimEnd(), inBrackets: text.slice(open + 1, -1) }
}

/** What each of the columns of a file of this format says; undefined where the file is of another one. */
export function meaningsIn(format: CsvFormat, columns: readonly string[]): (Meaning | undefined)[] | undefined {
  const names = columns.map(columnName)
  const read = new Map<Meaning, string>()
  for (const [name, meaning] of Object.entries(format.columns)) {
    if (names.includes(name) && !read.has(meaning)) read.set(meaning, name)
  }
  const isWhole = format.needs.every((name) => names.includes(name))
  if (!isWhole || (format.tells.includes('costs') && !read.has('amount'))) return undefined
  return names.map((name, at) => {
    const meaning = format.columns[name]
    const isFirst = names.indexOf(name) === at
    return meaning !== undefined && isFirst && read.get(meaning) === name ? meaning : undefined
  })
}
