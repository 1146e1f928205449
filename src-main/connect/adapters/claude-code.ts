import type { Adapter } from '#connect/adapter.ts'

export const CLAUDE_CODE = {
  tool: 'claude-code',
  name: 'Claude Code',
  versions: '2.1',
  page: 'https://code.claude.com/docs/en/llm-gateway-connect',
  checked: '2026-11-22',
  command: 'claude',
  connect: {
    files: [
      {
        type: 'members',
        places: ['$CLAUDE_CONFIG_DIR/settings.json', '~/.claude/settings.json'],
        format: 'json',
        members: [
          { path: ['apiKeyHelper'], value: '<printKey>' },
          { path: ['env', 'ANTHROPIC_BASE_URL'], value: '<url>' },
          { path: ['env', 'ANTHROPIC_MODEL'], value: '<model>' },
          { path: ['env', 'ANTHROPIC_DEFAULT_OPUS_MODEL'], value: '<model>' },
          { path: ['env', 'ANTHROPIC_DEFAULT_SONNET_MODEL'], value: '<model>' },
          { path: ['env', 'ANTHROPIC_DEFAULT_HAIKU_MODEL'], value: '<small>' },
          { path: ['env', 'CLAUDE_CODE_AUTO_COMPACT_WINDOW'], value: '<contextText>' },
          // These win over the helper, and would send another service's token here.
          { path: ['env', 'ANTHROPIC_AUTH_TOKEN'], value: '<key>', isSecret: true, ifPresent: true },
          { path: ['env', 'ANTHROPIC_API_KEY'], value: '<key>', isSecret: true, ifPresent: true },
          { path: ['env', 'ANTHROPIC_SMALL_FAST_MODEL'], value: '<small>', ifPresent: true },
        ],
      },
    ],
    next: ['Start Claude Code as ever. In it, /status shows the address <url>.'],
  },
  launch: {
    command: ['claude'],
    env: {
      ANTHROPIC_BASE_URL: '<url>',
      ANTHROPIC_AUTH_TOKEN: '<key>',
      ANTHROPIC_API_KEY: '',
      ANTHROPIC_MODEL: '<model>',
      ANTHROPIC_DEFAULT_OPUS_MODEL: '<model>',
      ANTHROPIC_DEFAULT_SONNET_MODEL: '<model>',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: '<small>',
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: '<context>',
    },
  },
} as const satisfies Adapter
