// What an edit of a package does to its keys, said before it is done. The rules are those of docs/ledger.md, "Changes of a package".

import type { RequestBody } from '#contract/admin-api.ts'
import type { PackageView } from '#contract/schemas.ts'
import { creditsText, microOf } from '#renderer/data/money.ts'

export const PACKAGE_TYPES = ['monthly', 'daily', 'topup', 'unlimited'] as const
export type PackageType = (typeof PACKAGE_TYPES)[number]

export type PackageEdit = RequestBody<'editPackage'>
export type PackageLimits = { readonly [Name in keyof PackageView['limits']]: number | null }

/** A package as its form has it. */
export type PackageDraft = {
  readonly type: PackageType
  /** Ignored for an unlimited package. */
  readonly creditsMicro: bigint
  readonly timezone: string
  readonly limits: PackageLimits
  readonly models: 'all' | readonly string[]
  /** A date in the package's zone; empty for no end. */
  readonly validUntil: string
  readonly isUsageReset: boolean
}

export type PackageEffect =
  | { readonly type: 'type' }
  | { readonly type: 'reset' }
  | { readonly type: 'credits'; readonly differenceMicro: bigint }
  | { readonly type: 'timezone' | 'limits' | 'models' | 'validity' }

/** Only what differs, so that a package that somebody else edits meanwhile keeps what this edit does not mean. */
export function packageEdit(before: PackageView, draft: PackageDraft, validUntilBefore: string): PackageEdit {
  const isUnlimited = draft.type === 'unlimited'
  const hasNewCredits = !isUnlimited && draft.creditsMicro !== microOf(before.credits ?? -1)
  return {
    ...(draft.type === before.type ? {} : { type: draft.type }),
    ...(hasNewCredits ? { credits: Number(creditsText(draft.creditsMicro)) } : {}),
    ...(draft.timezone === before.timezone ? {} : { timezone: draft.timezone }),
    ...(sameLimits(before.limits, draft.limits) ? {} : { limits: limitsBody(draft.limits) }),
    ...(sameModels(before.models, draft.models) ? {} : { models: modelsBody(draft.models) }),
    ...(draft.validUntil === validUntilBefore
      ? {}
      : { valid_until: draft.validUntil === '' ? null : draft.validUntil }),
    ...(draft.isUsageReset ? { reset_used: true } : {}),
  }
}

/** What the keys of the package will notice. Empty where nothing changes, or where there are no keys. */
export function effectsOf(before: PackageView, edit: PackageEdit): PackageEffect[] {
  if (before.keys === 0) return []
  const isNewType = edit.type !== undefined
  const difference = (microOf(edit.credits ?? before.credits ?? 0) ?? 0n) - (microOf(before.credits ?? 0) ?? 0n)
  return [
    ...(isNewType ? [{ type: 'type' } as const] : []),
    ...(edit.reset_used === true && !isNewType ? [{ type: 'reset' } as const] : []),
    ...(difference !== 0n && !isNewType ? [{ type: 'credits', differenceMicro: difference } as const] : []),
    ...(edit.timezone !== undefined && hasCycle(before.type) && !isNewType ? [{ type: 'timezone' } as const] : []),
    ...(edit.limits === undefined ? [] : [{ type: 'limits' } as const]),
    ...(edit.models === undefined ? [] : [{ type: 'models' } as const]),
    ...(edit.valid_until === undefined ? [] : [{ type: 'validity' } as const]),
  ]
}

/** These end cycles and forget what was left or used, which no later edit brings back. */
export function isFinal(effect: PackageEffect): boolean {
  return effect.type === 'type' || effect.type === 'reset'
}

/** Whether packages of this type grant credits anew at the start of a month or day. */
function hasCycle(type: string): boolean {
  return type === 'monthly' || type === 'daily'
}

/** Limits are given as a whole: one that is left out is lifted. */
export function limitsBody(limits: PackageLimits): NonNullable<PackageEdit['limits']> {
  const { requests_per_minute: requests, tokens_per_minute: tokens, concurrent_requests: concurrent } = limits
  return {
    ...(requests === null ? {} : { requests_per_minute: requests }),
    ...(tokens === null ? {} : { tokens_per_minute: tokens }),
    ...(concurrent === null ? {} : { concurrent_requests: concurrent }),
  }
}

export function modelsBody(models: 'all' | readonly string[]): 'all' | string[] {
  return models === 'all' ? 'all' : [...models]
}

function sameLimits(left: PackageLimits, right: PackageLimits): boolean {
  return (
    left.requests_per_minute === right.requests_per_minute &&
    left.tokens_per_minute === right.tokens_per_minute &&
    left.concurrent_requests === right.concurrent_requests
  )
}

function sameModels(left: 'all' | readonly string[], right: 'all' | readonly string[]): boolean {
  if (left === 'all' || right === 'all') return left === right
  return left.length === right.length && left.toSorted().join('\n') === right.toSorted().join('\n')
}
