// The rows of a scan's table: the sums that were told, and one for all others.

import type { ToolScan } from '#contract/tools.ts'

type ScanGroup = ToolScan['by']['model']
export type ScanRow = ScanGroup['sums'][number] & { readonly id: string; readonly isOthers: boolean }

export function scanRows({ sums, others }: ScanGroup): readonly ScanRow[] {
  const rows = sums.map((sum) => ({ ...sum, id: `of ${sum.name}`, isOthers: false }))
  return others === null ? rows : [...rows, { ...others, id: 'others', isOthers: true }]
}
