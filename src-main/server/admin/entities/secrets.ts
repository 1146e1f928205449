// Secrets of providers on their way to and from a file, and from one store to the other: where a file may be, and what may be wrong
// with it.

import { isAbsolute } from 'node:path'
import { collectSecrets, moveSecrets, resealSecrets, takeSecrets } from '#catalog/secrets.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { ExportProblem } from '#secret/sealed-export.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import type { AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'

export const SECRET_AUDIT: AuditRules = { kept: ['file', 'force'] }

export function secretHandlers({ context, inTurn, sealedFiles }: EntityDeps): HandlersOf<'secrets'> {
  const { writeSealed, readSealed } = sealedFiles
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
    moveSecrets: () => inTurn(() => moveSecrets(context)),
    resealSecrets: () => resealSecrets(context),
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
