// Reads a file with a report, whichever of the kinds it is.

import { readCsv, type CsvPreview } from '#bills/csv-formats.ts'
import { readPages } from '#bills/pages.ts'
import type { BillReport, ReportProblem } from '#bills/report.ts'

export type ReadReport = {
  readonly type: 'report'
  readonly report: BillReport
  readonly preview: CsvPreview | undefined
}

/** JSON is a page of an interface, or a list of pages; anything else is a file of a console. */
export function readReport(text: string): ReadReport | ReportProblem {
  if (!/^\s*[[{]/.test(text)) {
    const read = readCsv(text)
    return 'type' in read ? read : { type: 'report', ...read }
  }
  const report = readPages(jsonOf(text))
  return 'type' in report ? report : { type: 'report', report, preview: undefined }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Half a page is no page, which is what its reader says of undefined.
    return undefined
  }
}
