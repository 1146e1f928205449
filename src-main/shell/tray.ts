// The icon in the tray. On Linux the menu belongs to the desktop, which shows a change only when it is given a whole new menu; on macOS
// and Windows a click opens the small window and the menu comes with the other button. A desktop without a tray shows nothing, and
// everything here has another way: starting Farebox again, or the menu of the window.

import { Menu, nativeImage, Tray, type Rectangle } from 'electron'
import { join } from 'node:path'
import { iconFile, iconOf, tooltipOf } from '#shell/icon.ts'
import { menuOf } from '#shell/menu.ts'
import { templateOf, type Perform } from '#shell/menu-template.ts'
import type { ShellState } from '#shell/state.ts'
import type { Words } from '#shell/words.ts'

export type TrayOptions = {
  readonly platform: NodeJS.Platform
  readonly iconsDir: string
  readonly perform: Perform
  /** A click on the icon itself, where the system tells of it. */
  readonly onClick: (icon: Rectangle) => void
  readonly nowMs: () => number
  readonly note: (line: string) => void
}

export class TrayIcon {
  readonly #options: TrayOptions
  #tray: Tray | undefined
  #menu: Menu | undefined
  #shown = { icon: '', tooltip: '', menu: '' }
  #hasFailed = false

  constructor(options: TrayOptions) {
    this.#options = options
  }

  /** Shows a state. What has not changed is left alone, so that a menu that is open stays open. */
  show(state: ShellState, words: Words): void {
    const tray = this.#ensure(state)
    if (tray === undefined) return
    const icon = iconOf(state)
    if (icon !== this.#shown.icon) tray.setImage(this.#image(state))
    const tooltip = tooltipOf(state, words)
    if (tooltip !== this.#shown.tooltip) tray.setToolTip(tooltip)
    const items = menuOf(state, words, this.#options.nowMs())
    const menu = JSON.stringify(items)
    if (menu !== this.#shown.menu) {
      this.#menu = Menu.buildFromTemplate(templateOf(items, this.#options.perform))
      if (this.#options.platform === 'linux') tray.setContextMenu(this.#menu)
    }
    this.#shown = { icon, tooltip, menu }
  }

  destroy(): void {
    this.#tray?.destroy()
    this.#tray = undefined
  }

  /** A session that is still starting may have no tray yet, so that each change of state tries again. */
  #ensure(state: ShellState): Tray | undefined {
    if (this.#tray !== undefined) return this.#tray
    try {
      this.#tray = new Tray(this.#image(state))
    } catch {
      // The program is complete without one.
      if (!this.#hasFailed) this.#options.note('This desktop has no tray. Start Farebox again to open its dashboard.')
      this.#hasFailed = true
      return undefined
    }
    this.#shown = { icon: iconOf(state), tooltip: '', menu: '' }
    if (this.#options.platform !== 'linux') this.#listen(this.#tray)
    return this.#tray
  }

  #listen(tray: Tray): void {
    tray.on('click', () => this.#options.onClick(tray.getBounds()))
    tray.on('right-click', () => tray.popUpContextMenu(this.#menu))
  }

  #image(state: ShellState) {
    const { iconsDir, platform } = this.#options
    const image = nativeImage.createFromPath(join(iconsDir, iconFile(iconOf(state), platform)))
    if (platform === 'darwin') image.setTemplateImage(true)
    return image
  }
}
