// Which icon stands for a state, and what is said beside it.

import type { GatewayState, ShellState } from '#shell/state.ts'
import type { Words } from '#shell/words.ts'

export type IconName = 'running' | 'stopped' | 'error' | 'low'

export function iconOf({ gateway, isLow }: Pick<ShellState, 'gateway' | 'isLow'>): IconName {
  switch (gateway.type) {
    case 'failed':
      return 'error'
    case 'starting':
    case 'stopping':
    case 'stopped':
      return 'stopped'
    case 'running':
      if (gateway.ledger !== 'ok') return 'error'
      if (gateway.pausedUntilMs !== undefined) return 'stopped'
      return isLow ? 'low' : 'running'
  }
}

/** Below resources/icons. macOS colours templates itself, Windows wants an .ico, Linux a PNG. */
export function iconFile(name: IconName, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return `tray/${name}Template.png`
  return platform === 'win32' ? `tray/${name}.ico` : `tray/${name}.png`
}

/** One line for the tooltip: what the icon says, in words. */
export function tooltipOf(state: Pick<ShellState, 'gateway' | 'isLow' | 'lan'>, words: Words): string {
  const hasLan = state.gateway.type === 'running' && state.lan.state === 'on'
  const parts = [
    describeGateway(state.gateway, words),
    ...(hasLan ? [words.text('status.lan')] : []),
    ...(iconOf(state) === 'low' ? [words.text('status.low')] : []),
  ]
  return words.text('status.line', { state: parts.join(words.text('status.join')) })
}

/** Completes a line that begins with the name of the program. */
export function describeGateway(gateway: GatewayState, words: Words): string {
  if (gateway.type !== 'running') return words.text(`status.${gateway.type}`)
  if (gateway.ledger !== 'ok') return words.text('status.halted')
  const address = addressOf(gateway.url)
  if (gateway.pausedUntilMs === undefined) return words.text('status.running', { address })
  return words.text('status.paused', { address, time: clockTime(gateway.pausedUntilMs) })
}

export function addressOf(url: string): string {
  return url.replace(/^https?:\/\//, '')
}

/** In this machine's zone, as people on it read their clock. */
export function clockTime(atMs: number): string {
  const at = new Date(atMs)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(at.getHours())}:${two(at.getMinutes())}`
}
