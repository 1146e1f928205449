import type { Adapter } from '#connect/adapter.ts'
import { VSCODE_FOLDER } from '#connect/adapters/vscode-folder.ts'

export const VSCODE_CHAT = {
  tool: 'vscode-chat',
  name: 'VS Code chat',
  versions: '1.122 and later',
  page: 'https://code.visualstudio.com/docs/agent-customization/language-models',
  checked: '2026-11-22',
  command: 'code',
  connect: {
    files: [
      {
        type: 'members',
        places: VSCODE_FOLDER('chatLanguageModels.json'),
        format: 'json',
        members: [
          {
            path: [{ name: 'Farebox' }],
            value: {
              name: 'Farebox',
              vendor: 'customendpoint',
              apiKey: '<key>',
              apiType: 'chat-completions',
              url: '<v1>',
            },
            isSecret: true,
          },
        ],
      },
    ],
    next: [
      'Choose a model of Farebox in the chat; VS Code may have to be restarted first.',
      'A new value of the key has to be brought here by connecting again.',
    ],
  },
} as const satisfies Adapter
