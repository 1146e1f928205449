// What Codex alone asks of the gateway, for the reference.

export const CODEX_API = {
  search: {
    method: 'POST',
    path: '/v1/alpha/search',
    alias: '/alpha/search',
    access: 'key',
    group: 'Calls',
    summary: 'Always refuses with 404: Codex asks here for a web search, and goes on without one.',
    response: '',
    refusals: [401, 402, 403, 404],
  },
} as const
