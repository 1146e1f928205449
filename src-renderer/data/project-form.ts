// Projects with limits as their form has them.

import type { ProjectSet, ProjectView } from '#contract/projects.ts'
import { amountText, readAmount } from '#renderer/data/amount-input.ts'
import { creditsText, microOf } from '#renderer/data/money.ts'

export const PROJECT_LIMITS = ['credits_per_day', 'credits_per_month'] as const

/** As they are typed; an empty limit is none. */
export type ProjectForm = { readonly name: string } & Readonly<Record<(typeof PROJECT_LIMITS)[number], string>>

export const EMPTY_PROJECT: ProjectForm = { name: '', credits_per_day: '', credits_per_month: '' }

export function projectFormOf(project: ProjectView, locale: string): ProjectForm {
  const text = (credits: number | null) => (credits === null ? '' : amountText(microOf(credits) ?? 0n, locale))
  return {
    name: project.name,
    credits_per_day: text(project.credits_per_day),
    credits_per_month: text(project.credits_per_month),
  }
}

/** What the texts mean; undefined while one of them means nothing. */
export function projectBody(form: ProjectForm, locale: string): ProjectSet | undefined {
  const day = limitOf(form.credits_per_day, locale)
  const month = limitOf(form.credits_per_month, locale)
  return day === undefined || month === undefined ? undefined : { credits_per_day: day, credits_per_month: month }
}

/** Null for no limit. */
function limitOf(text: string, locale: string): number | null | undefined {
  const amount = readAmount(text, locale)
  if (amount.type === 'empty') return null
  return amount.type === 'wrong' || amount.micro < 0n ? undefined : Number(creditsText(amount.micro))
}
