// The gateway as a whole: how it is, what it runs with, what was done to it, its pause, and what is about all of its catalogue.

import { applyDocument } from '#catalog/apply.ts'
import { isoOrNull } from '#catalog/dates.ts'
import { addDemo } from '#catalog/demo.ts'
import type { PauseView } from '#contract/pause.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import type { AuditRules } from '#server/admin/audit-details.ts'
import { backupMaker } from '#server/admin/backup.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'

const DEFAULT_PAUSE_MINUTES = 60
const MAX_SETTING_LETTERS = 40

export const GATEWAY_AUDIT: AuditRules = {
  kept: ['file', 'force', 'value'],
  listsOf: 'document',
  subject: settingName,
}

export function gatewayHandlers(deps: EntityDeps): HandlersOf<'gateway'> {
  const { context, pause, inTurn } = deps
  const makeBackup = backupMaker(deps.backUp, context.ledger)
  const pauseView = (): PauseView => ({ paused_until: isoOrNull(pause.untilMs) })
  return {
    status: () => deps.status(),
    showSettings: () => deps.settings(),
    setSetting: async ({ id, body }) => {
      const refusal = await inTurn(() => deps.setSetting(id, body.value))
      return refusal ?? deps.settings()
    },
    listAudit: ({ query }) => deps.visits.audit.list(query),
    pause: ({ body }) => {
      pause.begin((body.minutes ?? DEFAULT_PAUSE_MINUTES) * 60_000)
      return pauseView()
    },
    resume: () => {
      pause.end()
      return pauseView()
    },
    apply: ({ body }) => inTurn(() => applyDocument(context, body.document, body.dry_run ?? false)),
    addDemo: () => inTurn(() => addDemo(context)),
    backUp: ({ body }) => makeBackup(body),
  }
}

/** What looks like the name of a setting: no key of ours, and no secret of a provider, is of small letters alone. */
function settingName(_: unknown, id: string): string | undefined {
  return /^[a-z]+(_[a-z]+)*$/.test(id) && id.length <= MAX_SETTING_LETTERS ? id : undefined
}
