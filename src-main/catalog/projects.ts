// Projects that have limits: set, list, remove.

import { commitChanges, type CatalogContext } from '#catalog/context.ts'
import type { ProjectSet } from '#contract/projects.ts'
import { cleanName } from '#core/attribution.ts'
import { creditsToMicro, type MicroCredits } from '#core/money.ts'
import type { Project } from '#core/project.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'

/** Limits hold from the next call on, also for those that wait for their turn. */
export async function setProject(context: CatalogContext, name: string, input: ProjectSet): Promise<Project | Refusal> {
  const id = cleanName(name)
  if (id === undefined)
    return refuse('invalid_request', `'${name}' cannot be the name of a project.`, { param: 'name' })
  const before = context.catalog.project(id)
  const dailyMicro = limitOf(input, 'credits_per_day', before?.limits.dailyMicro)
  if (isRefusal(dailyMicro)) return dailyMicro
  const monthlyMicro = limitOf(input, 'credits_per_month', before?.limits.monthlyMicro)
  if (isRefusal(monthlyMicro)) return monthlyMicro
  const createdAtMs = before?.createdAtMs ?? context.nowMs()
  const project = { id, limits: { dailyMicro, monthlyMicro }, createdAtMs }
  await commitChanges(context, [{ type: 'put-project', project }])
  context.projectLimitsChanged(id)
  return project
}

export async function removeProject(context: CatalogContext, name: string): Promise<Project | Refusal> {
  const project = context.catalog.project(name.toLowerCase())
  if (project === undefined) return refuse('not_found', `There is no project '${name}' with limits.`)
  await commitChanges(context, [{ type: 'delete-project', id: project.id }])
  context.projectLimitsChanged(project.id)
  return project
}

/** The limit as it shall be; undefined for none. */
function limitOf(
  input: ProjectSet,
  param: keyof ProjectSet,
  before: MicroCredits | undefined,
): MicroCredits | undefined | Refusal {
  const credits = input[param]
  if (credits === undefined) return before
  if (credits === null) return undefined
  return creditsToMicro(credits) ?? refuse('invalid_request', `'${param}' takes at most six decimals.`, { param })
}
