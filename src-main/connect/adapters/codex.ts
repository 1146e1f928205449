import type { Adapter } from '#connect/adapter.ts'

export const CODEX = {
  tool: 'codex',
  name: 'Codex',
  versions: '0.134 and later',
  page: 'https://developers.openai.com/codex/config-advanced',
  checked: '2026-11-22',
  command: 'codex',
  certificate: 'CODEX_CA_CERTIFICATE',
  connect: {
    // A profile of its own: Codex writes its main file itself, and old versions of it stop at profiles in there.
    files: [
      {
        type: 'members',
        places: ['$CODEX_HOME/farebox.config.toml', '~/.codex/farebox.config.toml'],
        format: 'toml',
        members: [
          {
            path: ['model_providers', 'farebox'],
            value: {
              name: 'Farebox',
              base_url: '<v1>',
              wire_api: 'responses',
              supports_websockets: true,
              auth: {
                command: '<printCommand>',
                args: '<printArguments>',
                timeout_ms: 5000,
                refresh_interval_ms: 300_000,
              },
            },
          },
          { path: ['model_context_window'], value: '<context>' },
          { path: ['model'], value: '<model>' },
          { path: ['model_provider'], value: 'farebox' },
        ],
      },
    ],
    next: ['Start Codex with: codex --profile farebox'],
  },
  overrides: {
    files: [{ places: ['/etc/codex/managed_config.toml'], format: 'toml', members: [['model_provider'], ['model']] }],
  },
  launch: {
    command: [
      'codex',
      '-c',
      'model_provider="farebox"',
      '-c',
      'model_providers.farebox={name="Farebox", base_url="<v1>", wire_api="responses", supports_websockets=true, env_key="FAREBOX_API_KEY", model_catalog_url="<v1>/models"}',
      '-c',
      'model=<modelJson>',
      '-c',
      'model_context_window=<context>',
    ],
    env: { FAREBOX_API_KEY: '<key>' },
  },
} as const satisfies Adapter
