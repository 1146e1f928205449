// farebox project …

import type { ProjectView } from '#contract/projects.ts'
import { numberOrNone } from '#cli/flags.ts'
import { printable } from '#cli/output.ts'
import { listVerb, plainVerb } from '#cli/plain-verbs.ts'

const list = listVerb({
  name: 'project list',
  summary: 'lists the projects that have limits, with what they used',
  action: 'listProjects',
  columns: {
    NAME: ({ name }) => name,
    'PER DAY': ({ credits_per_day: limit }) => limit ?? 'no limit',
    TODAY: ({ credits_today: used }) => used,
    'PER MONTH': ({ credits_per_month: limit }) => limit ?? 'no limit',
    'THIS MONTH': ({ credits_this_month: used }) => used,
    HELD: ({ held_credits: held }) => held,
  },
  whenEmpty: 'No project has limits.',
})

const set = plainVerb({
  name: 'project set',
  usage: '[--credits-per-day N|none] [--credits-per-month N|none]',
  summary: 'says what calls for a project may be charged',
  operand: 'NAME',
  flags: { credits_per_day: numberOrNone, credits_per_month: numberOrNone },
  action: 'setProject',
  says: (project) => `Project ${printable(project.name)} has ${limitsText(project)}.`,
})

const remove = plainVerb({
  name: 'project remove',
  summary: 'lifts the limits of a project',
  operand: 'NAME',
  action: 'removeProject',
  says: (_answer, name) => `Project ${printable(name)} has no limits any more.`,
})

export const PROJECT_VERBS = [list, set, remove]

function limitsText({ credits_per_day: day, credits_per_month: month }: ProjectView): string {
  const limits = [...(day === null ? [] : [`${day} credits a day`]), ...(month === null ? [] : [`${month} a month`])]
  return limits.length === 0 ? 'no limits' : limits.join(' and ')
}
