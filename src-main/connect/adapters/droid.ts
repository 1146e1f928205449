import type { Adapter } from '#connect/adapter.ts'

export const DROID = {
  tool: 'droid',
  name: 'Droid',
  versions: '0.2 and later',
  page: 'https://docs.factory.ai/model-independence/byok',
  checked: '2026-11-23',
  command: 'droid',
  connect: {
    files: [
      {
        type: 'members',
        places: ['~/.factory/settings.json'],
        format: 'json',
        members: [
          {
            each: 'models',
            value: {
              path: ['customModels', { model: '<id>', baseUrl: '<v1>' }],
              value: {
                model: '<id>',
                displayName: '<name> (Farebox)',
                baseUrl: '<v1>',
                apiKey: '<key>',
                provider: 'generic-chat-completion-api',
                maxOutputTokens: '<outputOfIt>',
              },
              isSecret: true,
            },
          },
        ],
      },
    ],
    next: [
      'Choose a model of Farebox in Droid with /model.',
      'A new value of the key has to be brought here by connecting again.',
    ],
  },
} as const satisfies Adapter
