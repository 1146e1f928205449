import type { Adapter } from '#connect/adapter.ts'

const WINNING_MEMBERS = [
  ['apiKeyHelper'],
  ['env', 'ANTHROPIC_BASE_URL'],
  ['env', 'ANTHROPIC_AUTH_TOKEN'],
  ['env', 'ANTHROPIC_API_KEY'],
] as const

export const CLAUDE_CODE = {
  tool: 'claude-code',
  name: 'Claude Code',
  versions: '2.1',
  page: 'https://code.claude.com/docs/en/llm-gateway-connect',
  checked: '2026-11-22',
  command: 'claude',
  certificate: 'NODE_EXTRA_CA_CERTS',
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
  overrides: {
    variables: [
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_API_KEY',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      'CLAUDE_CODE_USE_FOUNDRY',
    ],
    files: [
      {
        places: {
          win32: ['C:/Program Files/ClaudeCode/managed-settings.json'],
          darwin: ['/Library/Application Support/ClaudeCode/managed-settings.json'],
          other: ['/etc/claude-code/managed-settings.json'],
        },
        format: 'json',
        members: WINNING_MEMBERS,
      },
      { places: ['./.claude/settings.local.json'], format: 'json', members: WINNING_MEMBERS },
      { places: ['./.claude/settings.json'], format: 'json', members: WINNING_MEMBERS },
    ],
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
