import type { Adapter } from '#connect/adapter.ts'

export const CONTINUE = {
  tool: 'continue',
  name: 'Continue',
  versions: '2.0, the last',
  page: 'https://docs.continue.dev/reference',
  checked: '2026-11-22',
  folders: ['$CONTINUE_GLOBAL_DIR', '~/.continue'],
  connect: {
    files: [
      {
        type: 'members',
        places: ['$CONTINUE_GLOBAL_DIR/.env', '~/.continue/.env'],
        format: 'env',
        members: [{ path: ['FAREBOX_API_KEY'], value: '<key>', isSecret: true }],
      },
      {
        type: 'members',
        places: ['$CONTINUE_GLOBAL_DIR/config.yaml', '~/.continue/config.yaml'],
        format: 'yaml',
        mustExist: 'A config.yaml hides the config.json of an older version, so Continue has to make it itself.',
        members: [
          {
            each: 'models',
            value: {
              path: ['models', { name: 'Farebox: <name>' }],
              value: {
                name: 'Farebox: <name>',
                provider: 'openai',
                model: '<id>',
                apiBase: '<v1>',
                apiKey: '${{ secrets.FAREBOX_API_KEY }}',
                roles: ['chat', 'edit', 'apply'],
                capabilities: ['tool_use'],
              },
            },
          },
        ],
      },
    ],
    next: [
      'Choose a model of Farebox in Continue.',
      'A new value of the key has to be brought here by connecting again.',
    ],
  },
} as const satisfies Adapter
