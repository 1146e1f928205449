// A project that has limits. Calls name projects as they like; these are the ones that an administrator knows.

import type { BudgetLimits } from '#core/spending.ts'

export type Project = {
  /** Its name, as calls have it. */
  readonly id: string
  readonly limits: BudgetLimits
  readonly createdAtMs: number
}
