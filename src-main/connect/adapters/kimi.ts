import type { Adapter } from '#connect/adapter.ts'

export const KIMI = {
  tool: 'kimi',
  name: 'Kimi Code',
  versions: '0.1 and later',
  page: 'https://moonshotai.github.io/kimi-code/en/configuration/config-files.html',
  checked: '2026-11-23',
  command: 'kimi',
  connect: {
    files: [
      {
        type: 'members',
        places: ['$KIMI_CODE_HOME/config.toml', '~/.kimi-code/config.toml'],
        format: 'toml',
        members: [
          {
            path: ['providers', 'farebox'],
            value: { type: 'openai', base_url: '<v1>', api_key: '<key>' },
            isSecret: true,
          },
          {
            each: 'models',
            value: {
              path: ['models', 'farebox/<id>'],
              value: { provider: 'farebox', model: '<id>', max_context_size: '<contextOfIt>', display_name: '<name>' },
            },
          },
          { path: ['default_model'], value: 'farebox/<model>' },
        ],
      },
    ],
    next: ['Start Kimi Code as ever.', 'A new value of the key has to be brought here by connecting again.'],
  },
} as const satisfies Adapter
