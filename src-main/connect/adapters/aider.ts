import type { Adapter } from '#connect/adapter.ts'

export const AIDER = {
  tool: 'aider',
  name: 'Aider',
  versions: '0.86',
  page: 'https://aider.chat/docs/config/aider_conf.html',
  checked: '2026-11-22',
  command: 'aider',
  certificate: 'SSL_CERT_FILE',
  connect: {
    files: [
      {
        type: 'members',
        places: ['~/.aider.conf.yml'],
        format: 'yaml',
        members: [
          { path: ['weak-model'], value: 'openai/<small>' },
          { path: ['model'], value: 'openai/<model>' },
          { path: ['openai-api-key'], value: '<key>', isSecret: true },
          { path: ['openai-api-base'], value: '<v1>' },
        ],
      },
    ],
    next: [
      'Start Aider as ever. A project with an .aider.conf.yml of its own may say otherwise.',
      'A new value of the key has to be brought here by connecting again.',
    ],
  },
  overrides: {
    variables: ['AIDER_MODEL', 'AIDER_OPENAI_API_BASE', 'AIDER_OPENAI_API_KEY'],
    files: [
      { places: ['./.aider.conf.yml'], format: 'yaml', members: [['model'], ['openai-api-base'], ['openai-api-key']] },
    ],
  },
  launch: {
    command: ['aider', '--model', 'openai/<model>', '--weak-model', 'openai/<small>'],
    env: { OPENAI_API_BASE: '<v1>', OPENAI_API_KEY: '<key>' },
  },
} as const satisfies Adapter
