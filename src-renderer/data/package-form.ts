// A package as its form has it, and what the texts in it mean.

import type { RequestBody } from '#contract/admin-api.ts'
import type { PackageView } from '#contract/schemas.ts'
import { amountText, readAmount } from '#renderer/data/amount-input.ts'
import { creditsText, microOf } from '#renderer/data/money.ts'
import {
  limitsBody,
  modelsBody,
  PACKAGE_TYPES,
  type PackageDraft,
  type PackageType,
} from '#renderer/data/package-change.ts'
import { msOf } from '#renderer/data/times.ts'
import { lastDateBefore } from '#renderer/data/zone-dates.ts'

export type PackageForm = {
  readonly name: string
  readonly type: PackageType
  readonly credits: string
  /** Empty for the zone of the gateway, where the package is new. */
  readonly timezone: string
  readonly requests: string
  readonly tokens: string
  readonly concurrent: string
  readonly models: 'all' | readonly string[]
  readonly validUntil: string
  readonly isUsageReset: boolean
}

export const EMPTY_FORM: PackageForm = {
  name: '',
  type: 'monthly',
  credits: '',
  timezone: '',
  requests: '',
  tokens: '',
  concurrent: '',
  models: 'all',
  validUntil: '',
  isUsageReset: false,
}

export function formOf(entity: PackageView, locale: string): PackageForm {
  const { limits } = entity
  const validUntilMs = msOf(entity.valid_until)
  return {
    name: entity.name,
    type: PACKAGE_TYPES.find((type) => type === entity.type) ?? 'unlimited',
    credits: entity.credits === null ? '' : amountText(microOf(entity.credits) ?? 0n, locale),
    timezone: entity.timezone,
    requests: textOf(limits.requests_per_minute),
    tokens: textOf(limits.tokens_per_minute),
    concurrent: textOf(limits.concurrent_requests),
    models: entity.models,
    validUntil: validUntilMs === undefined ? '' : lastDateBefore(entity.timezone, validUntilMs),
    isUsageReset: false,
  }
}

/** Undefined while something is missing or means nothing. */
export function draftOf(form: PackageForm, locale: string): PackageDraft | undefined {
  const amount = readAmount(form.credits, locale)
  const requests = readCount(form.requests)
  const tokens = readCount(form.tokens)
  const concurrent = readCount(form.concurrent)
  const creditsMicro = form.type === 'unlimited' ? 0n : amount.type === 'amount' ? amount.micro : -1n
  if (creditsMicro < 0n || requests === undefined || tokens === undefined || concurrent === undefined) return undefined
  return {
    type: form.type,
    creditsMicro,
    timezone: form.timezone,
    limits: { requests_per_minute: requests, tokens_per_minute: tokens, concurrent_requests: concurrent },
    models: form.models,
    validUntil: form.validUntil,
    isUsageReset: form.isUsageReset,
  }
}

/** What makes a new package. */
export function createBody(name: string, draft: PackageDraft): RequestBody<'addPackage'> {
  return {
    name: name.trim(),
    type: draft.type,
    ...(draft.type === 'unlimited' ? {} : { credits: Number(creditsText(draft.creditsMicro)) }),
    ...(draft.timezone === '' ? {} : { timezone: draft.timezone }),
    limits: limitsBody(draft.limits),
    models: modelsBody(draft.models),
    ...(draft.validUntil === '' ? {} : { valid_until: draft.validUntil }),
  }
}

/** A limit: null for none, undefined for what is no whole number from 1 to a billion. */
export function readCount(text: string): number | null | undefined {
  const plain = text.trim()
  if (plain === '') return null
  const count = /^\d{1,10}$/.test(plain) ? Number(plain) : 0
  return count >= 1 && count <= 1_000_000_000 ? count : undefined
}

function textOf(limit: number | null): string {
  return limit === null ? '' : String(limit)
}
