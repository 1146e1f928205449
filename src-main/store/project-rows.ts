// Reads and writes projects that have limits, and what calls for each project, and of each tool, were charged.

import type { Project } from '#core/project.ts'
import type { BudgetLimits } from '#core/spending.ts'
import type { Db } from '#store/database.ts'
import { entityTable, integer, json, text } from '#store/entity-table.ts'
import { idsOf, sliceFor } from '#store/usage-slices.ts'

const PROJECTS = entityTable<Omit<Project, 'limits'> & { readonly limits: Partial<BudgetLimits> }>('project', {
  id: text,
  limits: json(),
  createdAtMs: integer,
})

/** Inserts or replaces a project. */
export function putProject(db: Db, project: Project): void {
  PROJECTS.put(db, project)
}

export function deleteProject(db: Db, id: string): void {
  db.prepare('DELETE FROM project WHERE id = ?').run(id)
}

/** All of them in the order in which they were made. */
export function loadProjects(db: Db): Project[] {
  return PROJECTS.load(db).map(({ limits, ...project }) => {
    return { ...project, limits: { dailyMicro: limits.dailyMicro, monthlyMicro: limits.monthlyMicro } }
  })
}

/** From the beginning of the first day on, and before the beginning of the day after the last. */
type Days = { readonly fromMs: number; readonly toMs: number }

/** What calls were charged on some days, in micro-credits by the names of projects or tools, out of the sums by day. */
export function chargedByLabel(db: Db, label: 'project' | 'tool', { fromMs, toMs }: Days): Map<string, number> {
  const slice = idsOf(sliceFor('day', [label]))
  const rows = db
    .prepare<[number, number, number, number], { name: string; charged: number }>(
      `SELECT parts.${label} AS name, sum(sums.charge_micro) AS charged FROM usage_day AS sums
         CROSS JOIN usage_group AS parts ON parts.id = sums.group_id
       WHERE sums.started_at_ms >= ? AND sums.started_at_ms < ? AND sums.group_id >= ? AND sums.group_id < ? AND parts.${label} <> '' GROUP BY 1`,
    )
    .all(fromMs, toMs, slice.first, slice.end)
  return new Map(rows.map(({ name, charged }) => [name, charged]))
}
