// Where every action of the admin API is and who may ask for it. Plain data, so that the dashboard can carry it without the schemas.
// `{id}` in a path takes an id or a name.

/**
 * Who may ask: anyone (to sign in, and to accept an invite), whoever is signed in and also the holder of a key (who sees and revokes
 * that key, no more), members (who see and do only what is theirs), or administrators. Each of them may ask what those before may.
 */
export type RouteAccess = 'public' | 'holder' | 'member' | 'administrator'

/**
 * Whether the LAN sees it: as it is said by `access`, only while administration over the LAN is switched on, or not at all, because it is
 * about the machine itself, or would let somebody from afar open it further.
 */
export type LanAnswer = 'members' | 'administration' | 'never'

export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly access: RouteAccess
  readonly lan: LanAnswer
}

export const ADMIN_ROUTES = {
  signIn: { method: 'POST', path: '/api/session', access: 'public', lan: 'members' },
  showSession: { method: 'GET', path: '/api/session', access: 'holder', lan: 'members' },
  signOut: { method: 'DELETE', path: '/api/session', access: 'holder', lan: 'members' },
  changePassword: { method: 'PUT', path: '/api/session/password', access: 'member', lan: 'members' },
  makeTicket: { method: 'POST', path: '/api/tickets', access: 'administrator', lan: 'never' },

  listMembers: { method: 'GET', path: '/api/members', access: 'administrator', lan: 'administration' },
  addMember: { method: 'POST', path: '/api/members', access: 'administrator', lan: 'administration' },
  editMember: { method: 'PATCH', path: '/api/members/{id}', access: 'administrator', lan: 'administration' },
  setMemberPassword: {
    method: 'PUT',
    path: '/api/members/{id}/password',
    access: 'administrator',
    lan: 'administration',
  },
  removeMember: { method: 'DELETE', path: '/api/members/{id}', access: 'administrator', lan: 'administration' },

  listInvites: { method: 'GET', path: '/api/invites', access: 'administrator', lan: 'administration' },
  createInvite: { method: 'POST', path: '/api/invites', access: 'administrator', lan: 'administration' },
  withdrawInvite: { method: 'DELETE', path: '/api/invites/{id}', access: 'administrator', lan: 'administration' },
  acceptInvite: { method: 'POST', path: '/api/invites/accept', access: 'public', lan: 'members' },

  listAudit: { method: 'GET', path: '/api/audit', access: 'administrator', lan: 'administration' },
  showSettings: { method: 'GET', path: '/api/settings', access: 'administrator', lan: 'administration' },
  status: { method: 'GET', path: '/api/status', access: 'administrator', lan: 'administration' },
  showLan: { method: 'GET', path: '/api/lan', access: 'administrator', lan: 'administration' },
  setLan: { method: 'PUT', path: '/api/lan', access: 'administrator', lan: 'never' },
  turnLanOff: { method: 'DELETE', path: '/api/lan', access: 'administrator', lan: 'never' },
  showLanCertificate: { method: 'GET', path: '/api/lan/certificate', access: 'holder', lan: 'members' },
  pause: { method: 'POST', path: '/api/pause', access: 'administrator', lan: 'administration' },
  resume: { method: 'DELETE', path: '/api/pause', access: 'administrator', lan: 'administration' },
  apply: { method: 'POST', path: '/api/apply', access: 'administrator', lan: 'administration' },

  listPresets: { method: 'GET', path: '/api/presets', access: 'administrator', lan: 'administration' },
  listProviders: { method: 'GET', path: '/api/providers', access: 'administrator', lan: 'administration' },
  addProvider: { method: 'POST', path: '/api/providers', access: 'administrator', lan: 'administration' },
  setProviderSecret: {
    method: 'PUT',
    path: '/api/providers/{id}/secret',
    access: 'administrator',
    lan: 'administration',
  },
  testProvider: { method: 'POST', path: '/api/providers/{id}/test', access: 'administrator', lan: 'administration' },
  listProviderModels: {
    method: 'GET',
    path: '/api/providers/{id}/models',
    access: 'administrator',
    lan: 'administration',
  },
  addProviderModels: {
    method: 'POST',
    path: '/api/providers/{id}/models',
    access: 'administrator',
    lan: 'administration',
  },
  editProvider: { method: 'PATCH', path: '/api/providers/{id}', access: 'administrator', lan: 'administration' },
  removeProvider: { method: 'DELETE', path: '/api/providers/{id}', access: 'administrator', lan: 'administration' },
  discover: { method: 'POST', path: '/api/discovery', access: 'administrator', lan: 'never' },
  addDemo: { method: 'POST', path: '/api/demo', access: 'administrator', lan: 'administration' },
  exportSecrets: { method: 'POST', path: '/api/secrets/export', access: 'administrator', lan: 'never' },
  importSecrets: { method: 'POST', path: '/api/secrets/import', access: 'administrator', lan: 'never' },
  moveSecrets: { method: 'POST', path: '/api/secrets/move', access: 'administrator', lan: 'never' },

  listModels: { method: 'GET', path: '/api/models', access: 'holder', lan: 'members' },
  addModel: { method: 'POST', path: '/api/models', access: 'administrator', lan: 'administration' },
  editModel: { method: 'PATCH', path: '/api/models/{id}', access: 'administrator', lan: 'administration' },
  priceModel: { method: 'PUT', path: '/api/models/{id}/price', access: 'administrator', lan: 'administration' },
  enableModel: { method: 'POST', path: '/api/models/{id}/enable', access: 'administrator', lan: 'administration' },
  disableModel: { method: 'POST', path: '/api/models/{id}/disable', access: 'administrator', lan: 'administration' },
  removeModel: { method: 'DELETE', path: '/api/models/{id}', access: 'administrator', lan: 'administration' },

  priceCard: { method: 'GET', path: '/api/price-card', access: 'administrator', lan: 'administration' },
  applyPriceCard: { method: 'POST', path: '/api/price-card', access: 'administrator', lan: 'administration' },

  listPackages: { method: 'GET', path: '/api/packages', access: 'holder', lan: 'members' },
  addPackage: { method: 'POST', path: '/api/packages', access: 'administrator', lan: 'administration' },
  editPackage: { method: 'PATCH', path: '/api/packages/{id}', access: 'administrator', lan: 'administration' },
  removePackage: { method: 'DELETE', path: '/api/packages/{id}', access: 'administrator', lan: 'administration' },

  listKeys: { method: 'GET', path: '/api/keys', access: 'holder', lan: 'members' },
  createKey: { method: 'POST', path: '/api/keys', access: 'member', lan: 'members' },
  showKey: { method: 'GET', path: '/api/keys/{id}', access: 'holder', lan: 'members' },
  suspendKey: { method: 'POST', path: '/api/keys/{id}/suspend', access: 'member', lan: 'members' },
  resumeKey: { method: 'POST', path: '/api/keys/{id}/resume', access: 'member', lan: 'members' },
  extendKey: { method: 'POST', path: '/api/keys/{id}/extend', access: 'administrator', lan: 'administration' },
  topUpKey: { method: 'POST', path: '/api/keys/{id}/top-up', access: 'administrator', lan: 'administration' },
  adjustKey: { method: 'POST', path: '/api/keys/{id}/adjust', access: 'administrator', lan: 'administration' },
  moveKey: { method: 'POST', path: '/api/keys/{id}/move', access: 'administrator', lan: 'administration' },
  rotateKey: { method: 'POST', path: '/api/keys/{id}/rotate', access: 'member', lan: 'members' },
  revokeKey: { method: 'POST', path: '/api/keys/{id}/revoke', access: 'holder', lan: 'members' },

  usage: { method: 'GET', path: '/api/usage', access: 'holder', lan: 'members' },
  usageReport: { method: 'GET', path: '/api/usage-report', access: 'holder', lan: 'members' },
  overview: { method: 'GET', path: '/api/overview', access: 'holder', lan: 'members' },
  listWaiting: { method: 'GET', path: '/api/waiting', access: 'member', lan: 'members' },
  receipt: { method: 'GET', path: '/api/usage/{id}', access: 'holder', lan: 'members' },

  listLedger: { method: 'GET', path: '/api/ledger', access: 'member', lan: 'members' },
  verifyLedger: { method: 'GET', path: '/api/ledger/verify', access: 'administrator', lan: 'administration' },
  backUp: { method: 'POST', path: '/api/backup', access: 'administrator', lan: 'never' },
} as const satisfies Record<string, Route>

/** Their answers are not one JSON value: server-sent events, and the answer to a test request as it comes. */
export const ADMIN_STREAMS = {
  events: { method: 'GET', path: '/api/events', access: 'holder', lan: 'members' },
  tryIt: { method: 'POST', path: '/api/try', access: 'member', lan: 'members' },
} as const satisfies Record<string, Route>

export type AdminAction = keyof typeof ADMIN_ROUTES
