// Projects that have limits.

import { iso } from '#catalog/dates.ts'
import { removeProject, setProject } from '#catalog/projects.ts'
import { creditsOrNull } from '#catalog/views.ts'
import type { ProjectView } from '#contract/projects.ts'
import { microToCredits } from '#core/money.ts'
import type { Project } from '#core/project.ts'
import { isRefusal } from '#core/refusal.ts'
import type { EntityDeps } from '#server/admin/admin-deps.ts'
import type { AuditRules } from '#server/admin/audit-details.ts'
import type { HandlersOf } from '#server/admin/handlers.ts'

export const PROJECT_AUDIT: AuditRules = {
  kept: ['credits_per_day', 'credits_per_month'],
  subject: (catalog, id) => catalog.project(id.toLowerCase())?.id,
}

export function projectHandlers(deps: EntityDeps): HandlersOf<'projects'> {
  const { context, inTurn } = deps
  return {
    listProjects: () => context.catalog.projects.map((project) => projectView(project, deps)),
    setProject: async ({ id, body }) => {
      const project = await inTurn(() => setProject(context, id, body))
      return isRefusal(project) ? project : projectView(project, deps)
    },
    removeProject: async ({ id }) => {
      const project = await inTurn(() => removeProject(context, id))
      return isRefusal(project) ? project : {}
    },
  }
}

function projectView({ id, limits, createdAtMs }: Project, { projectUse }: EntityDeps): ProjectView {
  const { chargedTodayMicro, chargedThisMonthMicro, heldMicro } = projectUse(id)
  return {
    name: id,
    credits_per_day: creditsOrNull(limits.dailyMicro),
    credits_per_month: creditsOrNull(limits.monthlyMicro),
    credits_today: microToCredits(chargedTodayMicro),
    credits_this_month: microToCredits(chargedThisMonthMicro),
    held_credits: microToCredits(heldMicro),
    created_at: iso(createdAtMs),
  }
}
