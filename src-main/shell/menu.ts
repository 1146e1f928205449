// The menu of the tray, and of the window where there is no tray, as a function of the state. What a click does is an action that
// the shell performs; nothing here knows Electron.

import type { ConnectedTool } from '#shell/gateway-port.ts'
import { addressOf, clockTime, describeGateway } from '#shell/icon.ts'
import type { GatewayState, LeftOfKey, PackageCredits, RecentError, ShellState, Switches } from '#shell/state.ts'
import type { UpdateState } from '#shell/updates.ts'
import type { Words } from '#shell/words.ts'

const PAGES = [
  'overview',
  'bills',
  'requests',
  'keys',
  'members',
  'models',
  'providers',
  'tools',
  'ledger',
  'settings',
] as const
/** A page of the dashboard. */
export type Page = (typeof PAGES)[number] | 'keys?make=key' | LinkPage
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
const MAX_TOOLS = 20
const LONGEST_LABEL = 80
const LONGEST_NAME = 40
/** A warning is a sentence, and half of one may say the opposite. */
const LONGEST_SENTENCE = 140
const DAY_MS = 86_400_000

/** `nowMs` is UTC milliseconds. */
export function menuOf(state: ShellState, words: Words, nowMs: number): MenuItem[] {
  const { gateway } = state
  const isRunning = gateway.type === 'running'
  return [
    ...statusItems(state, words, nowMs),
    SEPARATOR,
    ...(isRunning ? pageItems(state, words) : []),
    ...switchItems(gateway, words),
    ...(isRunning ? [SEPARATOR, ...copyItems(gateway.url, state, words)] : []),
    ...(isRunning ? detailItems(state, words) : []),
    SEPARATOR,
    ...updateItems(state.update, words),
    settingsItem(state, words),
    SEPARATOR,
    item(quitLabel(gateway, words), { type: 'quit' }),
  ]
}

function statusItems({ gateway, attention, lan, bills, today }: ShellState, words: Words, nowMs: number): MenuItem[] {
  const lines = [text(words.text('status.line', { state: describeGateway(gateway, words) }))]
  if (gateway.type === 'failed') lines.push(text(gateway.message, LONGEST_SENTENCE))
  if (gateway.type !== 'running') return lines
  if (gateway.otherPid !== undefined) lines.push(text(words.text('status.elsewhere', { pid: gateway.otherPid })))
  lines.push(lanItem(lan, words))
  if (today !== undefined) {
    const label = words.counted('today', today.requests, { amount: words.credits(today.credits) })
    lines.push(item(label, { type: 'open', page: 'overview' }))
  }
  const ofBills = bills === undefined ? [] : [item(billsText(bills, words), { type: 'open', page: 'bills' } as const)]
  return [...lines, ...attentionItems(attention, words, nowMs), ...ofBills]
}

type Attention = ShellState['attention'][number]

/** The warnings of the overview: in the reader's language where the kind is known, else as the gateway says it. */
function attentionItems(attention: readonly Attention[], words: Words, nowMs: number): MenuItem[] {
  const rest = attention.length - MAX_SENTENCES
  const overview: MenuAction = { type: 'open', page: 'overview' }
  return [
    ...attention.slice(0, MAX_SENTENCES).map((one) => {
      const page = PAGES.find((known) => known === one.page) ?? 'overview'
      return item(sentenceOf(one, words, nowMs), { type: 'open', page }, LONGEST_SENTENCE)
    }),
    ...(rest > 0 ? [item(words.counted('attention.more', rest), overview)] : []),
  ]
}

function sentenceOf({ kind, subject, at, text: said }: Attention, words: Words, nowMs: number): string {
  const key = `attention.${kind}`
  if (!words.has(key)) return said
  const when = at === null ? '' : words.relative(Date.parse(at), nowMs)
  return words.text(key, { subject: subject ?? '', when })
}

function billsText({ unexplained, agreed_until: until }: NonNullable<ShellState['bills']>, words: Words): string {
  if (unexplained > 0) return words.counted('bills.unexplained', unexplained)
  if (until === null) return words.text('bills.explained')
  // The last whole day of UTC, as the page has it.
  const day = new Date(Math.floor(Date.parse(until) / DAY_MS) * DAY_MS - 1).toISOString().slice(0, 10)
  return words.text('bills.agree', { day })
}

/** Whoever looks at the menu sees whether others can reach the gateway. */
function lanItem({ state, urls, problem }: ShellState['lan'], words: Words): MenuItem {
  const settings: MenuAction = { type: 'open', page: 'settings' }
  if (state === 'on') return item(words.text('lan.on', { address: addressOf(urls[0] ?? '') }), settings)
  if (state === 'failed') return item(words.text('lan.failed', { problem: problem ?? '' }), settings)
  return text(words.text('lan.off'))
}

function pageItems({ tools }: ShellState, words: Words): MenuItem[] {
  return [
    item(words.text('open.dashboard'), { type: 'open', page: 'overview' }),
    item(words.text('open.newKey'), { type: 'open', page: 'keys?make=key' }),
    toolsItem(tools, words),
  ]
}

function toolsItem(tools: readonly ConnectedTool[], words: Words): MenuItem {
  const open: MenuAction = { type: 'open', page: 'tools' }
  if (tools.length === 0) return item(words.text('tools.connect'), open)
  const lineOf = ({ name, state }: ConnectedTool) =>
    words.has(`tools.state.${state}`) ? words.text(`tools.state.${state}`, { name }) : name
  return {
    type: 'submenu',
    label: words.text('tools.connected', { count: tools.length }),
    items: [
      ...tools.slice(0, MAX_TOOLS).map((tool) => item(lineOf(tool), open)),
      SEPARATOR,
      item(words.text('tools.all'), open),
    ],
  }
}

/** The items that start, stop and pause. A gateway of another process cannot be stopped from here. */
function switchItems(gateway: GatewayState, words: Words): MenuItem[] {
  switch (gateway.type) {
    case 'starting':
    case 'stopping':
      return []
    case 'stopped':
      return [item(words.text('switch.start'), { type: 'start' })]
    case 'failed':
      return [item(words.text('switch.again'), { type: 'start' })]
    case 'running': {
      const { pausedUntilMs, otherPid } = gateway
      const pause: MenuItem =
        pausedUntilMs === undefined
          ? item(words.text('switch.pause'), { type: 'pause', minutes: PAUSE_MINUTES })
          : item(words.text('switch.resume', { time: clockTime(pausedUntilMs) }), { type: 'resume' })
      return otherPid === undefined ? [pause, item(words.text('switch.stop'), { type: 'stop' })] : [pause]
    }
  }
}

/** Tools of the messages format add `/v1` themselves; all others want it in the address. */
function copyItems(url: string, { command, packages }: ShellState, words: Words): MenuItem[] {
  const copy = (label: string, value: string): MenuItem => item(label, { type: 'copy', text: value })
  return [
    {
      type: 'submenu',
      label: words.text('copy.address'),
      items: [
        copy(words.text('copy.openai', { address: `${addressOf(url)}/v1` }), `${url}/v1`),
        copy(words.text('copy.messages', { address: addressOf(url) }), url),
      ],
    },
    copy(words.text('copy.command'), `${command} key create my-tool --package ${packageWord(packages)}`),
  ]
}

/** It will be pasted into a shell, so a name that a shell could read as more than a name is left for the person to fill in. */
function packageWord(packages: readonly PackageCredits[]): string {
  return packages.map(({ name }) => name).find((name) => /^\w[\w.-]*$/.test(name)) ?? 'PACKAGE'
}

function detailItems({ packages, errors }: ShellState, words: Words): MenuItem[] {
  const shown = packages.slice(0, MAX_PACKAGES)
  const rest = packages.length - shown.length
  return [
    SEPARATOR,
    ...(packages.length === 0 ? [text(words.text('credits.none'))] : shown.map((one) => creditItem(one, words))),
    ...(rest > 0 ? [item(words.counted('credits.more', rest), { type: 'open', page: 'keys' } as const)] : []),
    errors.length === 0
      ? text(words.text('errors.none'))
      : {
          type: 'submenu',
          label: words.text('errors.recent', { count: errors.length }),
          items: errors.map(errorItem),
        },
  ]
}

function creditItem({ name, keys, lowest }: PackageCredits, words: Words): MenuItem {
  const left = leftText(lowest, words)
  const isOfMany = keys > 1 && lowest !== undefined
  // What is left and until when is the point of the line, and stays whole.
  const shown = { name: plain(name, LONGEST_NAME), left, count: keys }
  const label = words.text(isOfMany ? 'credits.lowest' : 'credits.of', shown)
  return item(label, { type: 'open', page: 'keys' }, LONGEST_SENTENCE)
}

function leftText(left: LeftOfKey | undefined, words: Words): string {
  if (left === undefined) return words.text('credits.unlimited')
  if (left.total <= 0) return words.text('credits.empty')
  const { remaining, total, resetsAtMs, runsOutAtMs } = left
  return [
    words.text('credits.left', { remaining: words.credits(remaining), total: words.credits(total) }),
    ...(runsOutAtMs === undefined ? [] : [words.text('credits.runsOut', { day: words.day(runsOutAtMs) })]),
    ...(resetsAtMs === undefined ? [] : [words.text('credits.resets', { day: words.day(resetsAtMs) })]),
  ].join(words.text('status.join'))
}

function errorItem({ at, model, status, key }: RecentError): MenuItem {
  return item(`${clockTime(Date.parse(at))}  ${status}  ${model} (${key})`, { type: 'open', page: 'requests' })
}

function updateItems(update: UpdateState, words: Words): MenuItem[] {
  const look = item(words.text('update.look'), { type: 'look-for-update' } as const)
  switch (update.type) {
    case 'none':
      return [text(words.text(`update.none.${update.why}`))]
    case 'idle':
      return [look]
    case 'looking':
      return [text(words.text('update.looking'))]
    case 'current':
      return [text(words.text('update.current')), look]
    case 'offered':
      return update.canInstall
        ? [item(words.text('update.download', { version: update.version }), { type: 'download-update' })]
        : [item(words.text('update.show', { version: update.version }), { type: 'show-releases' })]
    case 'downloading':
      return [text(words.text('update.downloading', update))]
    case 'ready':
      return [item(words.text('update.install', update), { type: 'install-update' })]
    case 'failed':
      return [text(update.message, LONGEST_SENTENCE), look]
  }
}

function settingsItem({ gateway, switches, update }: ShellState, words: Words): MenuItem {
  const check = (name: keyof Switches): MenuItem => ({
    type: 'check',
    label: words.text(`settings.${name}`),
    isOn: switches[name],
    action: { type: 'switch', name, isOn: !switches[name] },
  })
  return {
    type: 'submenu',
    label: words.text('settings.title'),
    items: [
      check('startAtLogin'),
      check('closeToTray'),
      check('notifications'),
      ...(update.type === 'none' ? [] : [check('dailyUpdateCheck')]),
      ...(gateway.type === 'running'
        ? [SEPARATOR, item(words.text('open.settings'), { type: 'open', page: 'settings' } as const)]
        : []),
    ],
  }
}

/** Whoever quits has to know whether calls go on being served. */
function quitLabel(gateway: GatewayState, words: Words): string {
  const isElsewhere = gateway.type === 'running' && gateway.otherPid !== undefined
  return words.text(isElsewhere ? 'quit.shell' : 'quit.all')
}

function item(label: string, action: MenuAction, longest = LONGEST_LABEL): MenuItem {
  return { type: 'item', label: plain(label, longest), action }
}

function text(label: string, longest = LONGEST_LABEL): MenuItem {
  return { type: 'text', label: plain(label, longest) }
}

/** Names are other people's words: one line of bounded length, without characters that change how a line reads. */
function plain(label: string, longest: number): string {
  const line = label.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`
}
