// The flags of a price: one for each class, and what providers price beside them as NAME=PRICE.

import { number, type Flag, type FlagTable, type FlagValues } from '#cli/flags.ts'
import { UsageError } from '#cli/errors.ts'
import { group } from '#cli/request.ts'
import type { PriceFields } from '#contract/prices.ts'

type StepFields = NonNullable<PriceFields['steps']>[number]
type TierFields = NonNullable<PriceFields['tiers']>[string]

/** `image=0.04`, as often as there are units. */
const units: Flag<Record<string, number>> = {
  type: 'string',
  isRepeatable: true,
  read: (texts, name) => Object.fromEntries(texts.map((text) => namedNumber(text, name))),
}

/** `above=200000,input=4,output=18`, as often as there are steps. */
const steps: Flag<StepFields[]> = {
  type: 'string',
  isRepeatable: true,
  read: (texts, name) => texts.map((text) => pricesOf<StepFields>(text, name)),
}

/** `flex=0.5`, or `priority:input=5,output=30`, as often as there are tiers. */
const tiers: Flag<Record<string, TierFields>> = {
  type: 'string',
  isRepeatable: true,
  read: (texts, name) =>
    Object.fromEntries(
      texts.map((text) => {
        const [tier = '', ...prices] = text.split(':')
        return prices.length === 0 ? namedNumber(text, name) : [tier, pricesOf<TierFields>(prices.join(':'), name)]
      }),
    ),
}

const CLASS_FLAGS = {
  input: number,
  output: number,
  cache_read: number,
  cache_write: number,
  cache_write_1h: number,
  input_audio: number,
  input_image: number,
  cache_read_audio: number,
  cache_read_image: number,
  reasoning: number,
  output_audio: number,
  output_image: number,
  minimum: number,
} satisfies FlagTable

export const PRICE_FLAGS = { ...CLASS_FLAGS, step: steps, tier: tiers, unit: units } satisfies FlagTable
export const PRICE_USAGE = [
  '--input P [--output P] [--cache-read P] [--cache-write P] [--cache-write-1h P] [--reasoning P]',
  '[--input-audio P] [--input-image P] [--cache-read-audio P] [--cache-read-image P] [--output-audio P] [--output-image P]',
  '[--step above=TOKENS,input=P,output=P …] [--tier NAME=FACTOR …] [--tier NAME:input=P,output=P …] [--unit NAME=CREDITS …] [--minimum CREDITS]',
].join(' ')

/** What the flags say of a price, and the rest of the flags; no price where none of them was given. */
export function priceOf<Flags extends FlagValues<typeof PRICE_FLAGS>>(flags: Flags) {
  const { step, tier, unit, ...others } = flags
  const classes = Object.entries(others).filter(([name]) => name in CLASS_FLAGS)
  const rest = Object.fromEntries(Object.entries(others).filter(([name]) => !(name in CLASS_FLAGS)))
  const price = group({ ...Object.fromEntries(classes), steps: step, tiers: tier, units: unit })
  return { price, rest: rest as Omit<Flags, keyof typeof PRICE_FLAGS> }
}

/** The contract says which members there are, and asks for those that are missing. */
function pricesOf<Fields>(text: string, name: string): Fields {
  return Object.fromEntries(text.split(',').map((part) => namedNumber(part, name))) as Fields
}

function namedNumber(text: string, name: string): [string, number] {
  const [member = '', value = '', ...more] = text.split('=')
  const amount = Number(value)
  if (member === '' || value.trim() === '' || more.length > 0 || !Number.isFinite(amount)) {
    throw new UsageError(`${name} takes NAME=NUMBER.`)
  }
  return [member, amount]
}
