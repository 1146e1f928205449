import type { Adapter } from '#connect/adapter.ts'

export const GROK = {
  tool: 'grok',
  name: 'Grok Build',
  versions: '0.2 and later',
  page: 'https://github.com/xai-org/grok-build/blob/main/crates/codegen/xai-grok-pager/docs/user-guide/11-custom-models.md',
  checked: '2026-11-23',
  command: 'grok',
  connect: {
    files: [
      {
        type: 'members',
        places: ['$GROK_HOME/config.toml', '~/.grok/config.toml'],
        format: 'toml',
        members: [
          {
            path: ['model', 'farebox'],
            value: {
              model: '<model>',
              base_url: '<v1>',
              name: '<modelName> (Farebox)',
              env_key: 'FAREBOX_API_KEY',
              context_window: '<context>',
              max_completion_tokens: '<output>',
            },
          },
          { path: ['models', 'default'], value: 'farebox' },
        ],
      },
    ],
    // Its settings name a variable for the key and never hold one.
    next: ['Start it with: farebox launch grok'],
  },
  overrides: { variables: ['FAREBOX_API_KEY'] },
  launch: { command: ['grok', '-m', 'farebox'], env: { FAREBOX_API_KEY: '<key>' } },
} as const satisfies Adapter
