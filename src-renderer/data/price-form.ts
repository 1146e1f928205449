// A price as its form has it, and what the texts in it mean.

import type { PriceFields } from '#contract/prices.ts'
import type { ModelView } from '#contract/schemas.ts'
import { amountText, readAmount } from '#renderer/data/amount-input.ts'
import { creditsText } from '#renderer/data/money.ts'
import { priceMicroOf, type PriceClass, type PriceMicro } from '#renderer/data/pricing.ts'

/** Credits per million tokens as they are typed. An empty price of cached input is that of input. */
export type PriceForm = Readonly<Record<PriceClass, string>>

export const EMPTY_PRICE: PriceForm = { input: '', output: '', cache_read: '', cache_write: '' }

/** Up to a credit per token. */
const MAX_MICRO = 1_000_000_000_000n

export function priceFormOf(price: Readonly<Record<PriceClass, number>> | null, locale: string): PriceForm {
  const micro = priceMicroOf(price)
  if (micro === undefined) return EMPTY_PRICE
  const text = (name: PriceClass) => amountText(micro[name], locale)
  const cached = (name: 'cache_read' | 'cache_write') => (micro[name] === micro.input ? '' : text(name))
  return {
    input: text('input'),
    output: text('output'),
    cache_read: cached('cache_read'),
    cache_write: cached('cache_write'),
  }
}

/** Undefined while a text means no price. Only models for conversations have an output in any case, whose price has to be said. */
export function readPrice(form: PriceForm, locale: string, kind = 'chat'): PriceMicro | undefined {
  const input = readClass(form.input, locale)
  const hasNoOutput = kind !== 'chat' && form.output.trim() === ''
  const output = hasNoOutput ? 0n : readClass(form.output, locale)
  if (input === undefined || output === undefined) return undefined
  const cacheRead = form.cache_read.trim() === '' ? input : readClass(form.cache_read, locale)
  const cacheWrite = form.cache_write.trim() === '' ? input : readClass(form.cache_write, locale)
  if (cacheRead === undefined || cacheWrite === undefined) return undefined
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite }
}

/** Whether nothing was typed, which leaves a model without a price. */
export function isEmptyPrice(form: PriceForm): boolean {
  return Object.values(form).every((text) => text.trim() === '')
}

/** Whether an amount is beyond what a price may be. */
export function isTooDear(text: string, locale: string): boolean {
  const amount = readAmount(text, locale)
  return amount.type === 'amount' && amount.micro > MAX_MICRO
}

/** What a price names beside the classes that its form has; a new price keeps it. */
export function finePrices(price: ModelView['price']): Omit<PriceFields, PriceClass> {
  if (price === null) return {}
  const { version: _version, input: _input, output: _output, cache_read: _read, cache_write: _write, ...fine } = price
  return fine
}

/** A price as the API takes it. */
export function priceBody(price: PriceMicro): PriceFields {
  const of = (name: PriceClass) => Number(creditsText(price[name]))
  return { input: of('input'), output: of('output'), cache_read: of('cache_read'), cache_write: of('cache_write') }
}

function readClass(text: string, locale: string): bigint | undefined {
  const amount = readAmount(text, locale)
  return amount.type === 'amount' && amount.micro >= 0n && amount.micro <= MAX_MICRO ? amount.micro : undefined
}
