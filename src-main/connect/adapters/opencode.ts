import type { Adapter } from '#connect/adapter.ts'

const OPENCODE_PROVIDER = {
  npm: '@ai-sdk/openai-compatible',
  name: 'Farebox',
  options: { baseURL: '<v1>', apiKey: '{file:<keyFile>}' },
  models: { '<each>': { name: '<name>', limit: { context: '<contextOfIt>', output: '<outputOfIt>' } } },
} as const

/** opencode, and what was made of it. */
export const OPENCODE_MEMBERS = [
  { path: ['provider', 'farebox'], value: OPENCODE_PROVIDER },
  { path: ['small_model'], value: 'farebox/<small>' },
  { path: ['model'], value: 'farebox/<model>' },
] as const

export const OPENCODE = {
  tool: 'opencode',
  name: 'opencode',
  versions: '1.18',
  page: 'https://opencode.ai/docs/config',
  checked: '2026-11-22',
  command: 'opencode',
  certificate: 'NODE_EXTRA_CA_CERTS',
  connect: {
    files: [
      {
        type: 'members',
        places: [
          '$OPENCODE_CONFIG',
          '$XDG_CONFIG_HOME/opencode/{opencode.jsonc,opencode.json}',
          '~/.config/opencode/{opencode.jsonc,opencode.json}',
        ],
        format: 'json',
        members: OPENCODE_MEMBERS,
      },
    ],
    next: ['Start opencode as ever. A project with settings of its own may name another model there.'],
  },
  overrides: {
    variables: ['OPENCODE_CONFIG_CONTENT'],
    files: [
      { places: ['./{opencode.jsonc,opencode.json}'], format: 'json', members: [['model'], ['provider', 'farebox']] },
      {
        places: {
          win32: ['$ProgramData/opencode/{opencode.jsonc,opencode.json}'],
          darwin: ['/Library/Application Support/opencode/{opencode.jsonc,opencode.json}'],
          other: ['/etc/opencode/{opencode.jsonc,opencode.json}'],
        },
        format: 'json',
        members: [['model'], ['provider', 'farebox']],
      },
    ],
  },
  launch: {
    command: ['opencode'],
    env: {
      OPENCODE_CONFIG_CONTENT: {
        provider: {
          farebox: { ...OPENCODE_PROVIDER, options: { baseURL: '<v1>', apiKey: '{env:FAREBOX_API_KEY}' } },
        },
        model: 'farebox/<model>',
        small_model: 'farebox/<small>',
      },
      FAREBOX_API_KEY: '<key>',
    },
  },
} as const satisfies Adapter
