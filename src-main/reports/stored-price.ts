// The price that a call was charged at, from its stored record.

import { priceOfRow, type Price } from '#core/price.ts'
import type { BillHour } from '#store/bill-rows.ts'
import type { StoredReceipt } from '#store/usage-rows.ts'

/** The price that calls of an hour were charged at; undefined where their model had none. */
export function priceOfHour(row: BillHour): Price | undefined {
  const { version, input_micro, output_micro, cache_read_micro, cache_write_micro, price_details: details } = row
  if (version === null || input_micro === null || output_micro === null) return undefined
  if (cache_read_micro === null || cache_write_micro === null) return undefined
  return priceOfRow({ version, input_micro, output_micro, cache_read_micro, cache_write_micro, details })
}

/** undefined where the model had no price. */
export function storedPrice(row: StoredReceipt): Price | undefined {
  const { price_version: version, price_input_micro: input_micro, price_output_micro: output_micro } = row
  const { price_cache_read_micro: cache_read_micro, price_cache_write_micro: cache_write_micro } = row
  if (version === null || input_micro === null || output_micro === null) return undefined
  if (cache_read_micro === null || cache_write_micro === null) return undefined
  const details = row.price_details
  return priceOfRow({ version, input_micro, output_micro, cache_read_micro, cache_write_micro, details })
}
