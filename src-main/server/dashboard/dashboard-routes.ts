// The routes of the dashboard's files.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openDashboard } from '#server/dashboard/dashboard.ts'

export type DashboardDeps = {
  /** The folder that the build makes, as a path. */
  readonly dashboardDir: string
  /** How the command line is typed in this installation, before the name of a verb. */
  readonly ownCommand: string
}

export function registerDashboard(app: FastifyInstance, { dashboardDir, ownCommand }: DashboardDeps): void {
  const dashboard = openDashboard(dashboardDir, ownCommand)
  const sendPage = (_request: FastifyRequest, reply: FastifyReply) => dashboard.sendPage(reply)
  const method = ['GET', 'HEAD']
  for (const url of ['/', '/app', '/app/*']) {
    app.route({ method, url, config: { access: 'public', lan: 'public', isPage: true }, handler: sendPage })
  }
  app.route<{ Params: { name: string } }>({
    method,
    url: '/assets/:name',
    config: { access: 'public', lan: 'public' },
    handler: ({ params, headers }, reply) => dashboard.sendAsset(reply, params.name, headers['accept-encoding'] ?? ''),
  })
}
