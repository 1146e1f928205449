// Where every action of the admin API is and who may ask for it. Plain data, so that the dashboard can carry it without the schemas.
// `{id}` in a path takes an id or a name.

/**
 * Who may ask: anyone (to sign in), whoever is signed in (a member sees and does only what is theirs), or administrators.
 */
export type RouteAccess = 'public' | 'member' | 'administrator'

export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly access: RouteAccess
}

export const ADMIN_ROUTES = {
  signIn: { method: 'POST', path: '/api/session', access: 'public' },
  showSession: { method: 'GET', path: '/api/session', access: 'member' },
  signOut: { method: 'DELETE', path: '/api/session', access: 'member' },
  changePassword: { method: 'PUT', path: '/api/session/password', access: 'member' },
  makeTicket: { method: 'POST', path: '/api/tickets', access: 'administrator' },

  listMembers: { method: 'GET', path: '/api/members', access: 'administrator' },
  addMember: { method: 'POST', path: '/api/members', access: 'administrator' },
  editMember: { method: 'PATCH', path: '/api/members/{id}', access: 'administrator' },
  setMemberPassword: { method: 'PUT', path: '/api/members/{id}/password', access: 'administrator' },
  removeMember: { method: 'DELETE', path: '/api/members/{id}', access: 'administrator' },

  listAudit: { method: 'GET', path: '/api/audit', access: 'administrator' },
  showSettings: { method: 'GET', path: '/api/settings', access: 'administrator' },
  status: { method: 'GET', path: '/api/status', access: 'administrator' },
  pause: { method: 'POST', path: '/api/pause', access: 'administrator' },
  resume: { method: 'DELETE', path: '/api/pause', access: 'administrator' },
  apply: { method: 'POST', path: '/api/apply', access: 'administrator' },

  listPresets: { method: 'GET', path: '/api/presets', access: 'administrator' },
  listProviders: { method: 'GET', path: '/api/providers', access: 'administrator' },
  addProvider: { method: 'POST', path: '/api/providers', access: 'administrator' },
  setProviderSecret: { method: 'PUT', path: '/api/providers/{id}/secret', access: 'administrator' },
  testProvider: { method: 'POST', path: '/api/providers/{id}/test', access: 'administrator' },
  listProviderModels: { method: 'GET', path: '/api/providers/{id}/models', access: 'administrator' },
  addProviderModels: { method: 'POST', path: '/api/providers/{id}/models', access: 'administrator' },
  editProvider: { method: 'PATCH', path: '/api/providers/{id}', access: 'administrator' },
  removeProvider: { method: 'DELETE', path: '/api/providers/{id}', access: 'administrator' },
  discover: { method: 'POST', path: '/api/discovery', access: 'administrator' },
  addDemo: { method: 'POST', path: '/api/demo', access: 'administrator' },
  moveSecrets: { method: 'POST', path: '/api/secrets/move', access: 'administrator' },

  listModels: { method: 'GET', path: '/api/models', access: 'member' },
  addModel: { method: 'POST', path: '/api/models', access: 'administrator' },
  editModel: { method: 'PATCH', path: '/api/models/{id}', access: 'administrator' },
  priceModel: { method: 'PUT', path: '/api/models/{id}/price', access: 'administrator' },
  enableModel: { method: 'POST', path: '/api/models/{id}/enable', access: 'administrator' },
  disableModel: { method: 'POST', path: '/api/models/{id}/disable', access: 'administrator' },
  removeModel: { method: 'DELETE', path: '/api/models/{id}', access: 'administrator' },

  priceCard: { method: 'GET', path: '/api/price-card', access: 'administrator' },
  applyPriceCard: { method: 'POST', path: '/api/price-card', access: 'administrator' },

  listPackages: { method: 'GET', path: '/api/packages', access: 'member' },
  addPackage: { method: 'POST', path: '/api/packages', access: 'administrator' },
  editPackage: { method: 'PATCH', path: '/api/packages/{id}', access: 'administrator' },
  removePackage: { method: 'DELETE', path: '/api/packages/{id}', access: 'administrator' },

  listKeys: { method: 'GET', path: '/api/keys', access: 'member' },
  createKey: { method: 'POST', path: '/api/keys', access: 'member' },
  showKey: { method: 'GET', path: '/api/keys/{id}', access: 'member' },
  suspendKey: { method: 'POST', path: '/api/keys/{id}/suspend', access: 'member' },
  resumeKey: { method: 'POST', path: '/api/keys/{id}/resume', access: 'member' },
  extendKey: { method: 'POST', path: '/api/keys/{id}/extend', access: 'administrator' },
  topUpKey: { method: 'POST', path: '/api/keys/{id}/top-up', access: 'administrator' },
  adjustKey: { method: 'POST', path: '/api/keys/{id}/adjust', access: 'administrator' },
  moveKey: { method: 'POST', path: '/api/keys/{id}/move', access: 'administrator' },
  revokeKey: { method: 'POST', path: '/api/keys/{id}/revoke', access: 'member' },

  usage: { method: 'GET', path: '/api/usage', access: 'member' },
  usageReport: { method: 'GET', path: '/api/usage-report', access: 'member' },
  overview: { method: 'GET', path: '/api/overview', access: 'member' },
  receipt: { method: 'GET', path: '/api/usage/{id}', access: 'member' },

  listLedger: { method: 'GET', path: '/api/ledger', access: 'member' },
  verifyLedger: { method: 'GET', path: '/api/ledger/verify', access: 'administrator' },
  backUp: { method: 'POST', path: '/api/backup', access: 'administrator' },
} as const satisfies Record<string, Route>

/** Their answers are not one JSON value: server-sent events, and the answer to a test request as it comes. */
export const ADMIN_STREAMS = {
  events: { method: 'GET', path: '/api/events', access: 'member' },
  tryIt: { method: 'POST', path: '/api/try', access: 'member' },
} as const satisfies Record<string, Route>

export type AdminAction = keyof typeof ADMIN_ROUTES
