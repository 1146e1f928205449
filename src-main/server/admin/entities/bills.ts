// Bills of providers: which file is read, and for which provider.

import { readFile, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { noProvider } from '#catalog/providers.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import type { AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'
import { JsonText } from '#server/http/json-text.ts'
import { ReportQueue } from '#server/reports/report-queue.ts'

export const BILL_AUDIT: AuditRules = { kept: ['provider', 'file', 'account_keys'] }

/** A month of hours of many models and keys is some ten megabytes. */
const MAX_FILE_BYTES = 64 * 1_048_576

export function billHandlers({ context, reports }: EntityDeps): HandlersOf<'bills'> {
  const queue = new ReportQueue()
  return {
    checkBill: async ({ body: { provider: idOrName, file, account_keys: accounts }, viewer }) => {
      const provider = context.catalog.provider(idOrName)
      if (provider === undefined) return noProvider(idOrName)
      const read = await readBill(file)
      if (isRefusal(read)) return read
      const { id: providerId, name: providerName } = provider
      const answer = await queue.run(viewer, () => reports.billCheck({ providerId, providerName, ...read, accounts }))
      return isRefusal(answer) ? answer : new JsonText(answer)
    },
  }
}

type ReadBill = { readonly text: string; readonly madeMs: number }

/** The gateway's working folder is not the one in which somebody typed the path. */
async function readBill(file: string): Promise<ReadBill | Refusal> {
  if (!isAbsolute(file)) return refuse('invalid_request', `'file' must be an absolute path.`, { param: 'file' })
  try {
    const { size, mtimeMs } = await stat(file)
    if (size > MAX_FILE_BYTES) return refuse('invalid_request', `${file} is larger than 64 MB.`, { param: 'file' })
    return { text: await readFile(file, 'utf8'), madeMs: Math.floor(mtimeMs) }
  } catch {
    // Why it cannot be read is for the administrator to look at, who has the file.
    return refuse('invalid_request', `${file} cannot be read.`, { param: 'file' })
  }
}
