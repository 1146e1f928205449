import type { Adapter } from '#connect/adapter.ts'

export const GEMINI_CLI = {
  tool: 'gemini-cli',
  name: 'Gemini CLI',
  versions: '0.61',
  page: 'https://github.com/google-gemini/gemini-cli/blob/main/docs/reference/configuration.md',
  checked: '2026-11-22',
  command: 'gemini',
  certificate: 'NODE_EXTRA_CA_CERTS',
  connect: {
    files: [
      {
        type: 'members',
        places: ['$GEMINI_CLI_HOME/.gemini/.env', '~/.gemini/.env'],
        format: 'env',
        members: [
          { path: ['GOOGLE_GEMINI_BASE_URL'], value: '<url>' },
          { path: ['GEMINI_API_KEY'], value: '<key>', isSecret: true },
          { path: ['GEMINI_MODEL'], value: '<model>' },
        ],
      },
      {
        type: 'members',
        places: ['$GEMINI_CLI_HOME/.gemini/settings.json', '~/.gemini/settings.json'],
        format: 'json',
        members: [{ path: ['security', 'auth', 'selectedType'], value: 'gemini-api-key' }],
      },
    ],
    next: [
      'Start Gemini CLI as ever. A project with an .env of its own reads that one instead.',
      'A new value of the key has to be brought here by connecting again.',
    ],
  },
  overrides: {
    variables: ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GOOGLE_GENAI_USE_GCA', 'GOOGLE_GENAI_USE_VERTEXAI'],
    // The nearest .env is the only one that it reads.
    files: [
      { places: ['./.gemini/.env'], format: 'env' },
      { places: ['./.env'], format: 'env' },
      { places: ['./.gemini/settings.json'], format: 'json', members: [['security', 'auth', 'selectedType']] },
    ],
  },
  launch: {
    command: ['gemini'],
    env: {
      GOOGLE_GEMINI_BASE_URL: '<url>',
      GEMINI_API_KEY: '<key>',
      GEMINI_MODEL: '<model>',
      GEMINI_DEFAULT_AUTH_TYPE: 'gemini-api-key',
    },
  },
} as const satisfies Adapter
