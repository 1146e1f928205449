import type { Adapter } from '#connect/adapter.ts'
import { VSCODE_FOLDER } from '#connect/adapters/vscode-folder.ts'

export const CLAUDE_CODE_VSCODE = {
  tool: 'claude-code-vscode',
  name: 'Claude Code in VS Code',
  versions: '2.1',
  page: 'https://code.claude.com/docs/en/vs-code',
  checked: '2026-11-22',
  folders: ['~/.vscode/extensions'],
  connect: {
    files: [
      {
        type: 'members',
        places: VSCODE_FOLDER('settings.json'),
        format: 'json',
        members: [
          variable('ANTHROPIC_BASE_URL', '<url>'),
          { ...variable('ANTHROPIC_AUTH_TOKEN', '<key>'), isSecret: true },
          variable('ANTHROPIC_MODEL', '<model>'),
          variable('ANTHROPIC_DEFAULT_OPUS_MODEL', '<model>'),
          variable('ANTHROPIC_DEFAULT_SONNET_MODEL', '<model>'),
          variable('ANTHROPIC_DEFAULT_HAIKU_MODEL', '<small>'),
        ],
      },
    ],
    next: ['Reload the window of VS Code.', 'A new value of the key has to be brought here by connecting again.'],
  },
  overrides: {
    variables: ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
    files: [
      {
        places: ['$CLAUDE_CONFIG_DIR/settings.json', '~/.claude/settings.json'],
        format: 'json',
        members: [
          ['env', 'ANTHROPIC_BASE_URL'],
          ['env', 'ANTHROPIC_AUTH_TOKEN'],
        ],
      },
    ],
  },
} as const satisfies Adapter

function variable(name: string, value: string) {
  return { path: ['claudeCode.environmentVariables', { name }], value: { name, value } } as const
}
