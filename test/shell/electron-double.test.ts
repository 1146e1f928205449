// Holds the double against Electron's own declarations, so that a test cannot pass on a member that Electron does not have.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { app, BrowserWindow, EVENTS, MEMBERS, Menu, resetElectron } from '../support/electron-double.ts'

const declarations = readFileSync(
  join(import.meta.dirname, '..', '..', 'node_modules', 'electron', 'electron.d.ts'),
  'utf8',
)

/** The body of a class or interface, with that of what it extends. */
function declarationOf(name: string): string {
  const found = new RegExp(
    `^  (?:class|interface) ${name}(?: extends (\\w+))?[^\\n]*\\{\\n([\\s\\S]*?)^  \\}`,
    'm',
  ).exec(declarations)
  if (found === null) throw new Error(`Electron declares no ${name}`)
  const [, parent, body = ''] = found
  return parent === undefined || parent.startsWith('Node') ? body : body + declarationOf(parent)
}

describe('the double of Electron', () => {
  it.each(Object.entries(MEMBERS))('has only members that %s has', (name, members) => {
    const body = declarationOf(name)
    const unknown = members.filter(
      (member) => !new RegExp(`^    (static |readonly |get )?${member}[(:?]`, 'm').test(body),
    )
    expect(members.length).toBeGreaterThan(0)
    expect(unknown).toEqual([])
  })

  it.each(Object.entries(EVENTS))('has only events that %s has', (name, events) => {
    const body = declarationOf(name)
    expect(events.filter((event) => !body.includes(`on(event: '${event}'`))).toEqual([])
  })

  it('fails on what it does not know', () => {
    resetElectron()
    expect(() => Reflect.get(app, 'dock')).toThrow("does not know 'dock' of app")
    expect(() => app.on('gpu-info-update', () => undefined)).toThrow("does not know the event 'gpu-info-update'")
    expect(() => Menu.buildFromTemplate([{ label: 'a', icon: 'x' }])).toThrow("does not know 'icon'")
    expect(() => Menu.buildFromTemplate([{}])).toThrow('Invalid template')
    const window = new BrowserWindow({ x: 0, y: 0, width: 1, height: 1 })
    window.destroy()
    expect(() => window.show()).toThrow('Object has been destroyed')
    expect(() => Reflect.get(window, 'setOpacity')).toThrow("does not know 'setOpacity'")
  })
})
