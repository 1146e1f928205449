// The routes of the dashboard's files. What serves them is loaded by the first request for one.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Dashboard } from '#server/dashboard/dashboard.ts'

export type DashboardDeps = {
  /** The folder that the build makes, as a path. */
  readonly dashboardDir: string
}

export function registerDashboard(app: FastifyInstance, { dashboardDir }: DashboardDeps): void {
  let opened: Promise<Dashboard> | undefined
  const dashboard = () =>
    (opened ??= import('#server/dashboard/dashboard.ts').then(({ openDashboard }) => openDashboard(dashboardDir)))
  const sendPage = async (_request: FastifyRequest, reply: FastifyReply) => (await dashboard()).sendPage(reply)
  const method = ['GET', 'HEAD']
  for (const url of ['/', '/app', '/app/*']) {
    app.route({ method, url, config: { access: 'public', lan: 'public', isPage: true }, handler: sendPage })
  }
  app.route<{ Params: { name: string } }>({
    method,
    url: '/assets/:name',
    config: { access: 'public', lan: 'public' },
    handler: async ({ params, headers }, reply) => {
      return (await dashboard()).sendAsset(reply, params.name, headers['accept-encoding'] ?? '')
    },
  })
}
