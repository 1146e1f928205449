// Which icon stands for a state, and what is said beside it.

import type { GatewayState, ShellState } from '#shell/state.ts'

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
export function tooltipOf(state: Pick<ShellState, 'gateway' | 'isLow' | 'lan'>): string {
  const lan = state.gateway.type === 'running' && state.lan.state === 'on' ? ', LAN on' : ''
  const more = `${lan}${iconOf(state) === 'low' ? ', credits are low' : ''}`
  return `Farebox: ${describeGateway(state.gateway)}${more}`
}

/** Completes a line that begins with the name of the program. */
export function describeGateway(gateway: GatewayState): string {
  switch (gateway.type) {
    case 'starting':
      return 'starting'
    case 'stopping':
      return 'stopping, running answers may finish'
    case 'stopped':
      return 'stopped'
    case 'failed':
      return 'not running'
    case 'running': {
      if (gateway.ledger !== 'ok') return 'admits no calls, see the ledger'
      const verb = gateway.pausedUntilMs === undefined ? 'running' : `paused until ${clockTime(gateway.pausedUntilMs)}`
      return `${verb} at ${addressOf(gateway.url)}`
    }
  }
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
