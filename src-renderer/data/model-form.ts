// A model as its form has it, and what the texts in it mean.

import { MODEL_KINDS } from '#contract/dialects.ts'
import type { ModelCreate, ModelEdit, ModelView } from '#contract/schemas.ts'
import { isEmptyPrice, priceBody, readPrice, EMPTY_PRICE, type PriceForm } from '#renderer/data/price-form.ts'

export type ModelForm = {
  readonly id: string
  readonly displayName: string
  readonly kind: (typeof MODEL_KINDS)[number]
  readonly contextWindow: string
  readonly maxOutput: string
  readonly provider: string
  readonly upstreamModel: string
  readonly price: PriceForm
}

export const EMPTY_MODEL: ModelForm = {
  id: '',
  displayName: '',
  kind: 'chat',
  contextWindow: '',
  maxOutput: '',
  provider: '',
  upstreamModel: '',
  price: EMPTY_PRICE,
}

export function modelFormOf(model: ModelView): ModelForm {
  return {
    ...EMPTY_MODEL,
    id: model.id,
    displayName: model.display_name,
    kind: MODEL_KINDS.find((kind) => kind === model.kind) ?? 'chat',
    contextWindow: String(model.context_window),
    maxOutput: model.max_output_tokens === 0 ? '' : String(model.max_output_tokens),
  }
}

/** What makes a new model; undefined while something is missing or means nothing. */
export function modelCreateBody(form: ModelForm, locale: string): ModelCreate | undefined {
  const contextWindow = readTokens(form.contextWindow)
  const limit = maxOutputOf(form)
  const price = readPrice(form.price, locale, form.kind)
  const isPriceWrong = price === undefined && !isEmptyPrice(form.price)
  const id = form.id.trim()
  if (id === '' || contextWindow === undefined || limit === undefined || form.provider === '' || isPriceWrong) {
    return undefined
  }
  return {
    id,
    kind: form.kind,
    context_window: contextWindow,
    targets: [{ provider: form.provider, model: form.upstreamModel.trim() || id }],
    ...(form.displayName.trim() === '' ? {} : { display_name: form.displayName.trim() }),
    ...limit,
    ...(price === undefined ? {} : { price: priceBody(price) }),
  }
}

/** What was changed; undefined while something means nothing. */
export function modelEditBody(form: ModelForm, model: ModelView): ModelEdit | undefined {
  const contextWindow = readTokens(form.contextWindow)
  const limit = maxOutputOf(form)
  const name = form.displayName.trim()
  if (contextWindow === undefined || limit === undefined || name === '') return undefined
  return {
    ...(name === model.display_name ? {} : { display_name: name }),
    ...(form.kind === model.kind ? {} : { kind: form.kind }),
    ...(contextWindow === model.context_window ? {} : { context_window: contextWindow }),
    ...(limit.max_output_tokens === model.max_output_tokens ? {} : limit),
  }
}

/** A whole number from 1 to a billion, with or without separators; `200k` and `1M` as people say it. */
export function readTokens(text: string): number | undefined {
  const match = /^(\d{1,10})([kM]?)$/i.exec(text.trim().replaceAll(/(?<=\d)[  ,.](?=\d{3}(?!\d))/g, ''))
  if (match === null) return undefined
  const factor = match[2]?.toLowerCase() === 'k' ? 1000 : match[2]?.toLowerCase() === 'm' ? 1_000_000 : 1
  const tokens = Number(match[1]) * factor
  return tokens >= 1 && tokens <= 1_000_000_000 ? tokens : undefined
}

function maxOutputOf(form: ModelForm): { readonly max_output_tokens?: number } | undefined {
  if (form.kind !== 'chat') return {}
  const tokens = readTokens(form.maxOutput)
  return tokens === undefined ? undefined : { max_output_tokens: tokens }
}
