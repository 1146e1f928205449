// The menu of the tray, and of the window where there is no tray, as a function of the state. What a click does is an action that
// the shell performs; nothing here knows Electron.

import { addressOf, clockTime, describeGateway } from '#shell/icon.ts'
import type { GatewayState, LeftOfKey, PackageCredits, RecentError, ShellState, Switches } from '#shell/state.ts'
import type { UpdateState } from '#shell/updates.ts'

/** A page of the dashboard. */
export type Page = 'overview' | 'bills' | 'requests' | 'keys' | 'providers' | 'tools' | 'ledger' | 'settings' | LinkPage
/** What a link proposes, with the link. */
export type LinkPage = `link?to=${string}`

export type MenuAction =
  | { readonly type: 'open'; readonly page: Page }
  | { readonly type: 'start' }
  | { readonly type: 'stop' }
  | { readonly type: 'pause'; readonly minutes: number }
  | { readonly type: 'resume' }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'switch'; readonly name: keyof Switches; readonly isOn: boolean }
  | { readonly type: 'look-for-update' }
  | { readonly type: 'download-update' }
  | { readonly type: 'install-update' }
  | { readonly type: 'show-releases' }
  | { readonly type: 'quit' }

export type MenuItem =
  | { readonly type: 'separator' }
  /** A line that says something and does nothing. */
  | { readonly type: 'text'; readonly label: string }
  | { readonly type: 'item'; readonly label: string; readonly action: MenuAction }
  | { readonly type: 'check'; readonly label: string; readonly isOn: boolean; readonly action: MenuAction }
  | { readonly type: 'submenu'; readonly label: string; readonly items: readonly MenuItem[] }

const SEPARATOR: MenuItem = { type: 'separator' }
const PAUSE_MINUTES = 60
const MAX_PACKAGES = 8
const MAX_SENTENCES = 3
const LONGEST_LABEL = 80
const DAY_MS = 86_400_000

export function menuOf(state: ShellState): MenuItem[] {
  const { gateway } = state
  return [
    ...statusItems(state),
    SEPARATOR,
    ...(gateway.type === 'running' ? pageItems() : []),
    ...switchItems(gateway),
    ...(gateway.type === 'running' ? [SEPARATOR, ...copyItems(gateway.url, state)] : []),
    ...(gateway.type === 'running' ? detailItems(state) : []),
    SEPARATOR,
    ...updateItems(state.update),
    settingsItem(state),
    SEPARATOR,
    item(quitLabel(gateway), { type: 'quit' }),
  ]
}

function pageItems(): MenuItem[] {
  return [item('Open dashboard', { type: 'open', page: 'overview' }), item('Tools', { type: 'open', page: 'tools' })]
}

function statusItems({ gateway, attention, lan, bills }: ShellState): MenuItem[] {
  const lines = [text(`Farebox: ${describeGateway(gateway)}`)]
  if (gateway.type === 'failed') lines.push(text(gateway.message))
  if (gateway.type !== 'running') return lines
  if (gateway.otherPid !== undefined) lines.push(text(`It was started elsewhere (process ${gateway.otherPid}).`))
  lines.push(lanItem(lan))
  for (const sentence of attention.slice(0, MAX_SENTENCES)) {
    lines.push(item(sentence, { type: 'open', page: 'providers' }))
  }
  if (bills !== undefined) lines.push(item(billsText(bills), { type: 'open', page: 'bills' }))
  if (gateway.ledger !== 'ok') lines.push(item('The ledger needs attention', { type: 'open', page: 'ledger' }))
  return lines
}

function billsText({ unexplained, agreed_until: until }: NonNullable<ShellState['bills']>): string {
  if (unexplained > 0)
    return `Bills: ${unexplained} ${unexplained === 1 ? 'difference is' : 'differences are'} unexplained`
  if (until === null) return 'Bills: nothing is unexplained'
  // The last whole day of UTC, as the page has it.
  return `Bills agree until ${new Date(Math.floor(Date.parse(until) / DAY_MS) * DAY_MS - 1).toISOString().slice(0, 10)}`
}

/** Whoever looks at the menu sees whether others can reach the gateway. */
function lanItem({ state, urls, problem }: ShellState['lan']): MenuItem {
  const settings: MenuAction = { type: 'open', page: 'settings' }
  if (state === 'on') return item(`LAN: on, at ${addressOf(urls[0] ?? '')}`, settings)
  if (state === 'failed') return item(`LAN: not on. ${problem ?? ''}`, settings)
  return text('LAN: off, only this machine can reach it')
}

/** The items that start, stop and pause. A gateway of another process cannot be stopped from here. */
function switchItems(gateway: GatewayState): MenuItem[] {
  switch (gateway.type) {
    case 'starting':
    case 'stopping':
      return []
    case 'stopped':
      return [item('Start', { type: 'start' })]
    case 'failed':
      return [item('Try again', { type: 'start' })]
    case 'running': {
      const pause: MenuItem =
        gateway.pausedUntilMs === undefined
          ? item('Pause for an hour', { type: 'pause', minutes: PAUSE_MINUTES })
          : item(`Resume (paused until ${clockTime(gateway.pausedUntilMs)})`, { type: 'resume' })
      return gateway.otherPid === undefined ? [pause, item('Stop', { type: 'stop' })] : [pause]
    }
  }
}

/** Tools of the messages format add `/v1` themselves; all others want it in the address. */
function copyItems(url: string, { command, packages }: ShellState): MenuItem[] {
  const copy = (label: string, value: string): MenuItem => item(label, { type: 'copy', text: value })
  return [
    {
      type: 'submenu',
      label: 'Copy base URL',
      items: [
        copy(`Chat completions, responses: ${addressOf(url)}/v1`, `${url}/v1`),
        copy(`Messages: ${addressOf(url)}`, url),
      ],
    },
    copy('Copy the command that makes a key', `${command} key create my-tool --package ${packageWord(packages)}`),
  ]
}

/** It will be pasted into a shell, so a name that a shell could read as more than a name is left for the person to fill in. */
function packageWord(packages: readonly PackageCredits[]): string {
  return packages.map(({ name }) => name).find((name) => /^\w[\w.-]*$/.test(name)) ?? 'PACKAGE'
}

function detailItems({ packages, errors }: ShellState): MenuItem[] {
  const shown = packages.slice(0, MAX_PACKAGES)
  const rest = packages.length - shown.length
  return [
    SEPARATOR,
    ...(packages.length === 0 ? [text('No key has credits yet')] : shown.map(creditItem)),
    ...(rest > 0 ? [item(`${rest} more packages`, { type: 'open', page: 'keys' } as const)] : []),
    errors.length === 0
      ? text('No recent errors')
      : { type: 'submenu', label: `Recent errors (${errors.length})`, items: errors.map(errorItem) },
  ]
}

function creditItem({ name, keys, lowest }: PackageCredits): MenuItem {
  const of = keys > 1 && lowest !== undefined ? ` (the lowest of ${keys} keys)` : ''
  return item(`${name}${of}: ${leftText(lowest)}`, { type: 'open', page: 'keys' })
}

function leftText(left: LeftOfKey | undefined): string {
  if (left === undefined) return 'unlimited'
  if (left.total <= 0) return 'no credits'
  const { remaining, total, resetsAtMs, runsOutAtMs } = left
  return [
    `${credits(remaining)} of ${credits(total)} credits left`,
    ...(runsOutAtMs === undefined ? [] : [`runs out ${dayAndMonth(runsOutAtMs)}`]),
    ...(resetsAtMs === undefined ? [] : [`resets ${dayAndMonth(resetsAtMs)}`]),
  ].join(', ')
}

/** `1 Dec`, by the clock of this machine. */
function dayAndMonth(atMs: number): string {
  return new Date(atMs).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
}

/** Cut, never rounded up: the menu must not show credits that do not exist. */
export function credits(amount: number): string {
  const cents = Math.floor(Math.round(amount * 1_000_000) / 10_000)
  if (cents < 1 && amount > 0) return 'less than 0.01'
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
}

function errorItem({ at, model, status, key }: RecentError): MenuItem {
  return item(`${clockTime(Date.parse(at))}  ${status}  ${model} (${key})`, { type: 'open', page: 'requests' })
}

function updateItems(update: UpdateState): MenuItem[] {
  const look = item('Check for updates', { type: 'look-for-update' } as const)
  switch (update.type) {
    case 'none':
      return [text(`No updates here: ${update.why}`)]
    case 'idle':
      return [look]
    case 'looking':
      return [text('Looking for updates…')]
    case 'current':
      return [text('Farebox is up to date'), look]
    case 'offered':
      return update.canInstall
        ? [item(`Download Farebox ${update.version}`, { type: 'download-update' })]
        : [item(`Farebox ${update.version} is there: show where`, { type: 'show-releases' })]
    case 'downloading':
      return [text(`Downloading Farebox ${update.version}…`)]
    case 'ready':
      return [item(`Install Farebox ${update.version} and restart`, { type: 'install-update' })]
    case 'failed':
      return [text(update.message), look]
  }
}

function settingsItem({ gateway, switches, update }: ShellState): MenuItem {
  const check = (label: string, name: keyof Switches): MenuItem => ({
    type: 'check',
    label,
    isOn: switches[name],
    action: { type: 'switch', name, isOn: !switches[name] },
  })
  return {
    type: 'submenu',
    label: 'Settings',
    items: [
      check('Start at login', 'startAtLogin'),
      check('Keep running when the window is closed', 'closeToTray'),
      check('Notifications', 'notifications'),
      ...(update.type === 'none' ? [] : [check('Look for updates every day', 'dailyUpdateCheck')]),
      ...(gateway.type === 'running'
        ? [SEPARATOR, item('All settings', { type: 'open', page: 'settings' } as const)]
        : []),
    ],
  }
}

/** Whoever quits has to know whether calls go on being served. */
function quitLabel(gateway: GatewayState): string {
  const isElsewhere = gateway.type === 'running' && gateway.otherPid !== undefined
  return isElsewhere ? 'Quit (the gateway goes on)' : 'Quit Farebox'
}

function item(label: string, action: MenuAction): MenuItem {
  return { type: 'item', label: plain(label), action }
}

function text(label: string): MenuItem {
  return { type: 'text', label: plain(label) }
}

/** Names are other people's words: one line of bounded length, without characters that change how a line reads. */
function plain(label: string): string {
  const line = label.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return line.length <= LONGEST_LABEL ? line : `${line.slice(0, LONGEST_LABEL - 1)}…`
}
