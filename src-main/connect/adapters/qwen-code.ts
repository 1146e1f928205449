import type { Adapter } from '#connect/adapter.ts'

export const QWEN_CODE = {
  tool: 'qwen-code',
  name: 'Qwen Code',
  versions: '0.24',
  page: 'https://qwenlm.github.io/qwen-code-docs/en/users/configuration/model-providers',
  checked: '2026-11-22',
  command: 'qwen',
  certificate: 'NODE_EXTRA_CA_CERTS',
  connect: {
    files: [
      {
        type: 'members',
        places: ['$QWEN_HOME/.env', '~/.qwen/.env'],
        format: 'env',
        members: [{ path: ['FAREBOX_API_KEY'], value: '<key>', isSecret: true }],
      },
      {
        type: 'members',
        places: ['$QWEN_HOME/settings.json', '~/.qwen/settings.json'],
        format: 'json',
        members: [
          {
            each: 'models',
            value: {
              path: ['modelProviders', 'openai', { id: '<id>', baseUrl: '<v1>' }],
              value: { id: '<id>', name: '<name> (Farebox)', baseUrl: '<v1>', envKey: 'FAREBOX_API_KEY' },
            },
          },
          { path: ['security', 'auth', 'selectedType'], value: 'openai' },
          { path: ['model', 'name'], value: '<model>' },
        ],
      },
    ],
    next: ['Start Qwen Code as ever.', 'A new value of the key has to be brought here by connecting again.'],
  },
  overrides: {
    variables: ['FAREBOX_API_KEY'],
    files: [
      {
        places: ['./.qwen/settings.json'],
        format: 'json',
        members: [
          ['security', 'auth', 'selectedType'],
          ['model', 'name'],
        ],
      },
    ],
  },
  launch: {
    command: ['qwen', '--auth-type', 'openai'],
    env: { OPENAI_BASE_URL: '<v1>', OPENAI_API_KEY: '<key>', OPENAI_MODEL: '<model>' },
  },
} as const satisfies Adapter
