import type { Adapter } from '#connect/adapter.ts'

export const COPILOT_CLI = {
  tool: 'copilot-cli',
  name: 'Copilot CLI',
  versions: '1.0',
  page: 'https://docs.github.com/copilot/how-tos/copilot-cli/customize-copilot/use-byok-models',
  checked: '2026-11-22',
  command: 'copilot',
  certificate: 'NODE_EXTRA_CA_CERTS',
  // It takes providers from its environment alone.
  launch: {
    command: ['copilot'],
    env: {
      COPILOT_PROVIDER_BASE_URL: '<v1>',
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: '<key>',
      COPILOT_MODEL: '<model>',
    },
  },
} as const satisfies Adapter
