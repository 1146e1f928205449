import type { Adapter } from '#connect/adapter.ts'
import { OPENCODE_MEMBERS } from '#connect/adapters/opencode.ts'

export const KILO = {
  tool: 'kilo',
  name: 'Kilo',
  versions: '7.8',
  page: 'https://kilo.ai/docs/cli',
  checked: '2026-11-22',
  command: 'kilo',
  certificate: 'NODE_EXTRA_CA_CERTS',
  connect: {
    files: [
      {
        type: 'members',
        places: ['$XDG_CONFIG_HOME/kilo/{kilo.jsonc,kilo.json}', '~/.config/kilo/{kilo.jsonc,kilo.json}'],
        format: 'json',
        members: OPENCODE_MEMBERS,
      },
    ],
    next: ['Start Kilo as ever.'],
  },
  overrides: {
    variables: ['KILO_CONFIG_CONTENT'],
    files: [{ places: ['./{kilo.jsonc,kilo.json}'], format: 'json', members: [['model'], ['provider', 'farebox']] }],
  },
} as const satisfies Adapter
