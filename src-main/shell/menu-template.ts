// The menu in Electron's terms.

import type { MenuItemConstructorOptions } from 'electron'
import type { MenuAction, MenuItem } from '#shell/menu.ts'

export type Perform = (action: MenuAction) => void

export function templateOf(items: readonly MenuItem[], perform: Perform): MenuItemConstructorOptions[] {
  return items.map((item) => entryOf(item, perform))
}

/** The menu of the window, and of the whole program on macOS: the same items, and what every window needs; `view` is what that is called. */
export function applicationTemplate(
  items: readonly MenuItem[],
  { perform, view }: { readonly perform: Perform; readonly view: string },
): MenuItemConstructorOptions[] {
  return [
    { label: 'Farebox', submenu: templateOf(items, perform) },
    { role: 'editMenu' },
    {
      label: view,
      submenu: [
        { role: 'reload' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
  ]
}

function entryOf(item: MenuItem, perform: Perform): MenuItemConstructorOptions {
  switch (item.type) {
    case 'separator':
      return { type: 'separator' }
    case 'text':
      return { label: withoutMnemonic(item.label), enabled: false }
    case 'item':
      return { label: withoutMnemonic(item.label), click: () => perform(item.action), ...shortcut(item.action) }
    case 'check':
      return {
        type: 'checkbox',
        label: withoutMnemonic(item.label),
        checked: item.isOn,
        click: () => perform(item.action),
      }
    case 'submenu':
      return { label: withoutMnemonic(item.label), submenu: templateOf(item.items, perform) }
  }
}

/** A single ampersand would underline the letter behind it. */
function withoutMnemonic(label: string): string {
  return label.replaceAll('&', '&&')
}

function shortcut(action: MenuAction): { accelerator?: string } {
  if (action.type === 'quit') return { accelerator: 'CmdOrCtrl+Q' }
  if (action.type === 'open' && action.page === 'settings') return { accelerator: 'CmdOrCtrl+,' }
  return {}
}
