// Secrets on their way to and from a file, as the admin API takes them there: where it may be, and what may be wrong with it.

import { isAbsolute } from 'node:path'
import type { CatalogContext } from '#catalog/context.ts'
import { collectSecrets, takeSecrets } from '#catalog/secrets.ts'
import type { InTurn } from '#catalog/turns.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { readSealed, writeSealed, ExportProblem } from '#secret/sealed-export.ts'
import type { AdminHandlers } from '#server/admin/admin.ts'

export type SealedFiles = { readonly writeSealed: typeof writeSealed; readonly readSealed: typeof readSealed }

export function secretsFileHandlers(
  context: CatalogContext,
  { writeSealed, readSealed }: SealedFiles,
  inTurn: InTurn,
): Pick<AdminHandlers, 'exportSecrets' | 'importSecrets'> {
  return {
    exportSecrets: async ({ body: { file, passphrase, force = false } }) => {
      const misplaced = placeProblem(file)
      if (misplaced !== undefined) return misplaced
      const collected = await collectSecrets(context)
      if (isRefusal(collected)) return collected
      const { secrets, missing } = collected
      const problem = await writeSealed(secrets, { file, passphrase, isForced: force })
      if (problem !== undefined) return refusalOf(problem, file)
      return { file, exported: secrets.map(({ providerName }) => providerName), missing: [...missing] }
    },
    importSecrets: async ({ body: { file, passphrase } }) => {
      const misplaced = placeProblem(file)
      if (misplaced !== undefined) return misplaced
      const secrets = await readSealed({ file, passphrase })
      return 'type' in secrets ? refusalOf(secrets, file) : inTurn(() => takeSecrets(context, secrets))
    },
  }
}

/** The gateway's working folder is not the one in which somebody typed the path. */
function placeProblem(file: string): Refusal | undefined {
  if (isAbsolute(file)) return undefined
  return refuse('invalid_request', `'file' must be an absolute path.`, { param: 'file' })
}

function refusalOf({ reason }: ExportProblem, file: string): Refusal {
  switch (reason) {
    case 'taken':
      return refuse('conflict', `There is a file at ${file} already that is not to be replaced.`, { param: 'file' })
    case 'foreign':
      return refuse('invalid_request', `${file} is no file of secrets, or is damaged.`, { param: 'file' })
    case 'locked':
      return refuse('invalid_request', `${file} does not open with this passphrase.`, { param: 'passphrase' })
    case 'full':
      return refuse('disk_full', `The disk is full: there is no room for ${file}.`, { param: 'file' })
    case 'place':
      return refuse('invalid_request', `${file} cannot be read or written.`, { param: 'file' })
  }
}
