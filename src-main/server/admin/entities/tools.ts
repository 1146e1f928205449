// The tools of this machine. They are edited elsewhere, and only when somebody asks for it here or by the command line.

import { modelsFor } from '#catalog/own.ts'
import { refuse } from '#core/refusal.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import { fields, type AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'

/** Names of tools are of this form, and keys that somebody pasted are not. */
const TOOL = /^[a-z]+(-[a-z]+){0,3}$/

const SCANNED_DAYS = '30'

export const TOOL_AUDIT: AuditRules = {
  kept: fields('package model small_model', 'seen file before_sha256 after_sha256'),
  subject: (_catalog, id) => (TOOL.test(id) && id.length <= 30 ? id : undefined),
}

export function toolHandlers({ tools, scans, inTurn, context: { catalog } }: EntityDeps): HandlersOf<'tools'> {
  const control = () => tools(inTurn)
  return {
    toolGuides: async ({ query: { model, system = 'linux' }, viewer, visit }) => {
      const models = modelsFor(catalog, viewer)
      return (await control()).guides({ url: visit.lan?.origin, system, models, model })
    },
    listTools: async () => (await control()).list(),
    connectTool: async ({ id, body }) =>
      body.dry_run === true || body.seen !== undefined
        ? (await control()).connect(id, body)
        : refuse('invalid_request', 'Look at the changes first, with dry_run, and say in seen which they were.', {
            param: 'seen',
          }),
    scanTools: ({ query: { days = SCANNED_DAYS } }) => scans.run(Number(days)),
    stopScan: async () => {
      scans.stop()
      return {}
    },
    disconnectTool: async ({ id, body }) => (await control()).disconnect(id, { isDryRun: body.dry_run === true }),
  }
}
