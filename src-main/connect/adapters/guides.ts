// Tools that nobody but their user can connect, and one that cannot be connected.

import type { Adapter } from '#connect/adapter.ts'

export const JETBRAINS = {
  tool: 'jetbrains',
  name: 'JetBrains AI Assistant',
  versions: '2026.1 and later',
  page: 'https://www.jetbrains.com/help/ai-assistant/use-custom-models.html',
  checked: '2026-11-22',
  copy: {
    place:
      'Only its own settings can set this. Settings, Tools, AI Assistant, Providers & API keys: add "OpenAI-compatible", one entry for each model.',
    lines: ['URL: <v1>', 'API key: <key>', 'Model: <model>'],
  },
} as const satisfies Adapter

export const OPEN_WEBUI = {
  tool: 'open-webui',
  name: 'Open WebUI',
  versions: '0.6 and later',
  page: 'https://docs.openwebui.com/getting-started/quick-start/starting-with-openai-compatible',
  checked: '2026-11-22',
  copy: {
    // Variables count at its first start alone.
    place:
      'It keeps this in its own database. Admin Panel, Settings, Connections: add an OpenAI API connection. In a container 127.0.0.1 is the container itself: there the LAN address of Farebox is needed.',
    lines: ['URL: <v1>', 'Key: <key>'],
  },
} as const satisfies Adapter

export const CURSOR = {
  tool: 'cursor',
  name: 'Cursor',
  versions: '2.4',
  page: 'https://forum.cursor.com/t/149334',
  checked: '2026-11-22',
  command: 'cursor',
  impossible:
    'Cursor sends every request from its own servers, which cannot reach this machine and refuse private addresses. It cannot be connected to a gateway that runs here.',
} as const satisfies Adapter
