import type { Adapter } from '#connect/adapter.ts'

export const CLINE = {
  tool: 'cline',
  name: 'Cline',
  versions: '3.0 (command line)',
  page: 'https://docs.cline.bot/cline-cli/configuration',
  checked: '2026-11-22',
  command: 'cline',
  certificate: 'NODE_EXTRA_CA_CERTS',
  connect: {
    files: [
      {
        type: 'members',
        places: ['$CLINE_DATA_DIR/settings/providers.json', '~/.cline/data/settings/providers.json'],
        format: 'json',
        members: [
          {
            path: ['providers', 'openai-compatible'],
            value: {
              settings: { provider: 'openai-compatible', apiKey: '<key>', model: '<model>', baseUrl: '<v1>' },
              updatedAt: '<now>',
              tokenSource: 'manual',
            },
            isSecret: true,
            // It stamps the provider that it uses.
            kept: ['updatedAt'],
          },
          { path: ['lastUsedProvider'], value: 'openai-compatible' },
          { path: ['version'], value: 1 },
        ],
      },
    ],
    next: [
      'Start the command line of Cline as ever. Its extension keeps keys in VS Code: choose "OpenAI Compatible" there, with <v1>.',
      'A new value of the key has to be brought here by connecting again.',
    ],
  },
} as const satisfies Adapter
