// Entries of the audit log as a list shows them.

import type { AuditView } from '#contract/audit.ts'

/** What it was done to, as it was called then. Entries of older versions do not have the name of what was made then; what was asked for has. */
export function subjectOf({ subject, details }: AuditView): string | undefined {
  if (subject !== null) return subject
  const named = [details['name'], details['id']].find((value) => typeof value === 'string')
  return typeof named === 'string' ? named : undefined
}
