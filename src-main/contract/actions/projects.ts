// Projects that have limits.

import { actionsOf, forAdministrators } from '#contract/actions/action.ts'

export const PROJECTS = actionsOf('Projects', {
  listProjects: forAdministrators('GET /api/projects', 'Lists the projects that have limits, with what they used.', {
    response: 'ProjectView[]',
  }),
  setProject: forAdministrators('PUT /api/projects/{id}', 'Says what calls for a project may be charged.', {
    body: 'ProjectSet',
    response: 'ProjectView',
    example: { credits_per_day: 5, credits_per_month: 100 },
  }),
  removeProject: forAdministrators(
    'DELETE /api/projects/{id}',
    'Lifts the limits of a project. Its calls stay counted.',
  ),
})
