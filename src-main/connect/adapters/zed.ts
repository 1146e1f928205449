import type { Adapter } from '#connect/adapter.ts'

export const ZED = {
  tool: 'zed',
  name: 'Zed',
  versions: '0.2',
  page: 'https://zed.dev/docs/ai/use-api-access',
  checked: '2026-11-22',
  command: 'zed',
  connect: {
    files: [
      {
        type: 'members',
        places: {
          win32: ['$APPDATA/Zed/settings.json', '~/AppData/Roaming/Zed/settings.json'],
          darwin: ['~/.config/zed/settings.json'],
          other: ['$XDG_CONFIG_HOME/zed/settings.json', '~/.config/zed/settings.json'],
        },
        format: 'json',
        members: [
          {
            path: ['language_models', 'openai_compatible', 'farebox'],
            value: {
              api_url: '<v1>',
              available_models: [
                {
                  each: 'models',
                  value: {
                    name: '<id>',
                    display_name: '<name>',
                    max_tokens: '<contextOfIt>',
                    max_output_tokens: '<outputOfIt>',
                  },
                },
              ],
            },
          },
          { path: ['agent', 'default_model'], value: { provider: 'farebox', model: '<model>' } },
        ],
      },
    ],
    // Zed reads keys from its keychain or its environment, never from its settings.
    next: [
      'Give Zed the key: paste what is in <keyFile> at Agent settings, farebox. Or start it with: farebox launch zed',
    ],
  },
  overrides: { variables: ['FAREBOX_API_KEY'] },
  launch: { command: ['zed'], env: { FAREBOX_API_KEY: '<key>' } },
} as const satisfies Adapter
