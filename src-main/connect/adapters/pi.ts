import type { Adapter } from '#connect/adapter.ts'

export const PI = {
  tool: 'pi',
  name: 'Pi',
  versions: '1.5',
  page: 'https://github.com/earendil-works/pi/blob/main/packages/coding-agent/docs/models.md',
  checked: '2026-11-23',
  command: 'pi',
  certificate: 'NODE_EXTRA_CA_CERTS',
  connect: {
    files: [
      {
        type: 'members',
        places: ['$PI_CODING_AGENT_DIR/models.json', '~/.pi/agent/models.json'],
        format: 'json',
        members: [
          {
            path: ['providers', 'farebox'],
            value: {
              baseUrl: '<v1>',
              api: 'openai-completions',
              apiKey: '!<printKey>',
              models: [
                {
                  each: 'models',
                  value: { id: '<id>', name: '<name>', contextWindow: '<contextOfIt>', maxTokens: '<outputOfIt>' },
                },
              ],
            },
          },
        ],
      },
    ],
    next: ['Start Pi with: pi --provider farebox --model <model>'],
  },
} as const satisfies Adapter
