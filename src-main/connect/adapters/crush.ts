import type { Adapter } from '#connect/adapter.ts'

const FOLDERS = {
  win32: ['$XDG_CONFIG_HOME/crush', '~/.config/crush'],
  other: ['$XDG_CONFIG_HOME/crush', '~/.config/crush'],
} as const

export const CRUSH = {
  tool: 'crush',
  name: 'Crush',
  versions: '0.96',
  page: 'https://github.com/charmbracelet/crush/blob/main/docs/config/README.md',
  checked: '2026-11-22',
  command: 'crush',
  connect: {
    // Its settings are commands: Farebox has a file of its own there, and one line that reads it.
    files: [
      {
        type: 'own',
        places: { win32: inFolder('farebox.crushrc'), other: inFolder('farebox.crushrc') },
        lines: [
          '# Written by Farebox. To take it away: farebox disconnect crush',
          'provider add farebox --name Farebox --type openai-compat --base-url "<v1>" --api-key "$(<printKey>)"',
          {
            each: 'models',
            value:
              'model add <shellId> --name <shellName> --context-window <contextOfIt> --default-max-tokens <outputOfIt>',
          },
        ],
      },
      {
        type: 'members',
        places: { win32: inFolder('crushrc'), other: inFolder('crushrc') },
        format: 'lines',
        members: [{ path: ['source <fileWord0>'], value: 1 }],
      },
    ],
    next: ['Start Crush and choose a model of Farebox.'],
  },
} as const satisfies Adapter

function inFolder(name: string): readonly string[] {
  return FOLDERS.other.map((folder) => `${folder}/${name}`)
}
