import type { Adapter } from '#connect/adapter.ts'

export const GOOSE = {
  tool: 'goose',
  name: 'Goose',
  versions: '1.10 and later',
  page: 'https://block.github.io/goose/docs/guides/config-files',
  checked: '2026-11-22',
  command: 'goose',
  // It ignores keys in its settings and keeps them in the keychain, but takes all of it from its environment.
  launch: {
    command: ['goose'],
    env: {
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: '<model>',
      OPENAI_HOST: '<url>',
      OPENAI_API_KEY: '<key>',
    },
  },
} as const satisfies Adapter
