import { describe, expect, it } from 'vitest'
import { iconFile, iconOf, tooltipOf } from '#shell/icon.ts'
import { menuOf, type MenuItem } from '#shell/menu.ts'
import { NO_SUMMARY, summarise, type GatewayState, type ShellState } from '#shell/state.ts'
import { readWords } from '#shell/words.ts'
import {
  callView,
  ENGLISH,
  keyView,
  NOW_MS,
  overviewView,
  reading,
  shellState,
  statusView,
  URL_OF_GATEWAY,
  WORDS_DIR,
} from './support.ts'

const RUNNING: GatewayState & { type: 'running' } = {
  type: 'running',
  url: URL_OF_GATEWAY,
  otherPid: undefined,
  pausedUntilMs: undefined,
  ledger: 'ok',
}
const FAILED: GatewayState = {
  type: 'failed',
  message: "Port 3273 is taken by 'other' (process 7). Stop it and try again.",
}

/** The menu as a person reads it, with the lines of submenus indented. */
function lines(items: readonly MenuItem[], indent = ''): string[] {
  return items.flatMap((item) => {
    switch (item.type) {
      case 'separator':
        return [`${indent}--`]
      case 'text':
        return [`${indent}(${item.label})`]
      case 'item':
        return [`${indent}${item.label}`]
      case 'check':
        return [`${indent}[${item.isOn ? 'x' : ' '}] ${item.label}`]
      case 'submenu':
        return [`${indent}${item.label} >`, ...lines(item.items, `${indent}  `)]
    }
  })
}

const AT_NOON = '2027-03-04T12:00:00.000Z'
const LEFT = { remaining: 1, total: 2, resetsAtMs: undefined, runsOutAtMs: undefined }

function menuText(changes: Partial<ShellState> = {}, words = ENGLISH): string[] {
  return lines(menuOf(shellState(changes), words, NOW_MS))
}

describe('the menu', () => {
  it.each([
    [{ agreed_until: '2026-11-27T05:00:00.000Z', unexplained: 0 }, 'Bills agree until 2026-11-26'],
    [{ agreed_until: null, unexplained: 0 }, 'Bills: nothing is unexplained'],
    [{ agreed_until: null, unexplained: 1 }, 'Bills: 1 difference is unexplained'],
    [{ agreed_until: null, unexplained: 3 }, 'Bills: 3 differences are unexplained'],
  ])('of bills that stand at %j says so', (stand, line) => {
    const bills = { ...stand, unexplained_amount: '0', compared_at: AT_NOON }
    expect(menuText(summarise(reading({ status: statusView({ bills }) }), NOW_MS))).toContain(line)
    expect(menuText(summarise(reading({ status: statusView() }), NOW_MS)).join('\n')).not.toContain('Bills')
  })

  it('of a gateway that runs has everything', () => {
    const summary = summarise(
      reading({
        keys: [
          keyView('ci', { total: 50, remaining: 41.2 }),
          keyView('free', { total: null, remaining: null }, { package: 'open' }),
        ],
        calls: [callView({ model: 'sonnet', status: 502 })],
        overview: overviewView(
          [
            { kind: 'unpriced', subject: 'gpt', at: null, page: 'models', text: '-' },
            { kind: 'new', subject: null, at: null, page: 'elsewhere', text: "The secret of provider 'x' is locked." },
          ],
          { charge_credits: 3.129, requests: 1284 },
        ),
        tools: [
          { name: 'Claude Code', state: 'connected' },
          { name: 'Zed', state: 'waiting' },
        ],
      }),
      NOW_MS,
    )
    expect(menuText(summary).map((line) => line.replace(/\d\d:\d\d/, 'HH:MM'))).toEqual([
      '(Farebox: running at 127.0.0.1:3273)',
      '(LAN: off, only this machine can reach it)',
      'Today: 3.12 credits, 1,284 requests',
      'The model gpt has no price, so it cannot be called. Give it one in Models.',
      "The secret of provider 'x' is locked.",
      '--',
      'Open dashboard',
      'New key…',
      'Connected tools (2) >',
      '  Claude Code',
      '  Zed: no request yet',
      '  --',
      '  All tools',
      'Pause for an hour',
      'Stop',
      '--',
      'Copy base URL >',
      '  Chat completions, responses: 127.0.0.1:3273/v1',
      '  Messages: 127.0.0.1:3273',
      'Copy the command that makes a key',
      '--',
      'open: unlimited',
      'starter: 41.20 of 50.00 credits left',
      'Recent errors (1) >',
      '  HH:MM  502  sonnet (ci)',
      '--',
      'Check for updates',
      'Settings >',
      '  [ ] Start at login',
      '  [ ] Keep running when the window is closed',
      '  [x] Notifications',
      '  [ ] Look for updates every day',
      '  --',
      '  All settings',
      '--',
      'Quit Farebox',
    ])
  })

  it('says all of it in another language, with its amounts, days and plurals', () => {
    const { balance } = keyView('ci', { total: 50, remaining: 41.2 })
    const attention = [
      { kind: 'expiring', subject: 'ci', at: '2027-01-08T13:00:00.000Z', page: 'keys', text: '-' },
      ...['a', 'b', 'c', 'd'].map((subject) => ({ kind: 'busy', subject, at: null, page: 'providers', text: '-' })),
    ]
    const summary = summarise(
      reading({
        keys: [keyView('ci', {}, { balance: { ...balance, next_reset_at: AT_NOON } })],
        overview: overviewView(attention, { charge_credits: 0.004, requests: 1 }),
      }),
      NOW_MS,
    )
    const shown = menuText(summary, readWords(WORDS_DIR, ['de-AT']))
    for (const line of [
      '(Farebox: läuft unter 127.0.0.1:3273)',
      'Heute: weniger als 0,01 Credits, 1 Anfrage',
      'Der Schlüssel „ci“ läuft ab: in 6 Tagen. Verlängern Sie ihn unter Schlüssel.',
      '2 weitere Hinweise',
      'Werkzeug verbinden …',
      'starter: 41,20 von 50,00 Credits übrig, erneuert am 4. März',
      'Farebox beenden',
    ]) {
      expect(shown).toContain(line)
    }
  })

  it('opens the page that each warning is about, and the overview for the rest', () => {
    const of = (page: string | null) => ({ kind: 'ledger', subject: null, at: null, page, text: '-' })
    const state = shellState({ attention: [of('members'), of(null), of('nowhere'), of('keys')] })
    const opened = menuOf(state, ENGLISH, NOW_MS).flatMap((item) =>
      item.type === 'item' && item.action.type === 'open' ? [item.action.page] : [],
    )
    expect(opened.slice(0, 4)).toEqual(['members', 'overview', 'overview', 'overview'])
    expect(opened).toContain('keys?make=key')
  })

  it('offers only what can be done while nothing runs', () => {
    expect(menuText({ gateway: { type: 'stopped' } })).toContain('Start')
    for (const gateway of [{ type: 'stopped' }, { type: 'starting' }, { type: 'stopping' }, FAILED] as const) {
      const shown = menuText({ gateway }).join('\n')
      expect(shown).not.toMatch(/Stop$|Pause|Copy|Open dashboard|New key|tools|Today|All settings/m)
      expect(shown).toContain('Quit Farebox')
    }
    expect(menuText({ gateway: { type: 'stopping' } }).join()).not.toContain('Start,')
  })

  it('says who has the port, and offers to try again', () => {
    const shown = menuText({ gateway: FAILED })
    expect(shown.slice(0, 4)).toEqual([
      '(Farebox: not running)',
      `(${FAILED.type === 'failed' ? FAILED.message : ''})`,
      '--',
      'Try again',
    ])
  })

  it('says until when calls are refused, and offers to resume instead of to pause', () => {
    const shown = menuText({ gateway: { ...RUNNING, pausedUntilMs: NOW_MS } }).join('\n')
    expect(shown).toMatch(/paused until \d\d:\d\d at 127/)
    expect(shown).toMatch(/^Resume \(paused until \d\d:\d\d\)$/m)
    expect(shown).not.toContain('Pause')
  })

  it('of a gateway that was started elsewhere neither stops it nor hides that it goes on', () => {
    const shown = menuText({ gateway: { ...RUNNING, otherPid: 4242 } })
    expect(shown).toContain('(It was started elsewhere (process 4242).)')
    expect(shown).toContain('Quit (the gateway goes on)')
    expect(shown).not.toContain('Stop')
  })

  it.each([
    [{ type: 'none', why: 'clone' }, '(No updates here: it runs from a clone, which git updates)'],
    [{ type: 'looking' }, '(Looking for updates…)'],
    [{ type: 'current' }, '(Farebox is up to date)'],
    [{ type: 'offered', version: '1.2.0', canInstall: true }, 'Download Farebox 1.2.0'],
    [{ type: 'offered', version: '1.2.0', canInstall: false }, 'Farebox 1.2.0 is there: show where'],
    [{ type: 'downloading', version: '1.2.0' }, '(Downloading Farebox 1.2.0…)'],
    [{ type: 'ready', version: '1.2.0' }, 'Install Farebox 1.2.0 and restart'],
    [{ type: 'failed', message: 'No connection.' }, '(No connection.)'],
  ] as const)('says how it stands with updates: %j', (update, line) => {
    expect(menuText({ update })).toContain(line)
  })

  it('shows eight packages and counts the rest', () => {
    const packages = Array.from({ length: 11 }, (_, index) => ({
      name: `p${index}`,
      keys: 1,
      lowest: LEFT,
    }))
    const shown = menuText({ packages })
    expect(shown.filter((line) => line.endsWith('1.00 of 2.00 credits left'))).toHaveLength(8)
    expect(shown).toContain('3 more packages')
  })

  it('makes one bounded line of names, whatever is in them', () => {
    const name = `a\nQuit\u202e\u2028${'x'.repeat(300)}`
    const [line = ''] = menuText({ packages: [{ name, keys: 1, lowest: LEFT }] }).filter((text) =>
      text.startsWith('a '),
    )
    expect(line.length).toBeLessThanOrEqual(80)
    expect(line).not.toMatch(/[\p{C}\p{Zl}]/u)
  })

  it('puts no name into a command that a shell could read as more than a name', () => {
    const copied = (name: string) => {
      const menu = menuOf(shellState({ packages: [{ name, keys: 1, lowest: LEFT }] }), ENGLISH, NOW_MS)
      const found = menu.find((item) => item.type === 'item' && item.label.startsWith('Copy the command'))
      return found?.type === 'item' && found.action.type === 'copy' ? found.action.text : ''
    }
    expect(copied('team')).toBe('farebox key create my-tool --package team')
    for (const name of ['a; rm -rf ~', '$(id)', '`id`', '-x', 'a b', 'a\nb']) {
      expect(copied(name)).toBe('farebox key create my-tool --package PACKAGE')
    }
  })
})

describe('credits in the menu', () => {
  it.each([
    [41.2, '41.20'],
    [0.019_999, '0.01'],
    [0.004, 'less than 0.01'],
    [0, '0.00'],
    [0.29, '0.29'],
    [1_000_000, '1,000,000.00'],
    [9.999_999, '9.99'],
  ])('are cut, never rounded up: %d', (amount, text) => {
    expect(ENGLISH.credits(amount)).toBe(text)
  })

  it('are those of the key that runs out first, never a sum of what one key cannot spend for another', () => {
    const keys = [
      keyView('most', { total: 50, remaining: 1 }),
      keyView('soon', { total: 50, remaining: 40 }, { outlook: { left_over_credits: null, runs_out_at: AT_NOON } }),
    ]
    const summary = summarise(reading({ keys }), NOW_MS)
    expect(summary.packages).toEqual([
      {
        name: 'starter',
        keys: 2,
        lowest: { remaining: 40, total: 50, resetsAtMs: undefined, runsOutAtMs: Date.parse(AT_NOON) },
      },
    ])
    expect(menuText(summary)).toContain('starter (the lowest of 2 keys): 40.00 of 50.00 credits left, runs out Mar 4')
  })

  it('say when they are renewed', () => {
    const { balance } = keyView('ci', { total: 50, remaining: 41.2 })
    const keys = [keyView('ci', {}, { balance: { ...balance, next_reset_at: AT_NOON } })]
    expect(menuText(summarise(reading({ keys }), NOW_MS))).toContain(
      'starter: 41.20 of 50.00 credits left, resets Mar 4',
    )
  })

  it('leave out keys that cannot be used', () => {
    const keys = [keyView('old', {}, { status: 'revoked' }), keyView('late', {}, { status: 'expired' })]
    expect(summarise(reading({ keys }), NOW_MS).packages).toEqual([])
  })
})

describe('the icon', () => {
  const longAgo = { ...keyView('x').balance, remaining_credits: 0, last_used_at: '2020-01-01T00:00:00.000Z' }

  it.each([
    ['running', { gateway: RUNNING, isLow: false }],
    ['low', { gateway: RUNNING, isLow: true }],
    ['stopped', { gateway: { ...RUNNING, pausedUntilMs: NOW_MS }, isLow: true }],
    ['stopped', { gateway: { type: 'stopped' }, isLow: true }],
    ['stopped', { gateway: { type: 'starting' }, isLow: false }],
    ['error', { gateway: { ...RUNNING, ledger: 'halted' }, isLow: true }],
    ['error', { gateway: FAILED, isLow: false }],
  ] as const)('is %s for %j', (icon, state) => {
    expect(iconOf(state)).toBe(icon)
    expect(tooltipOf({ ...state, lan: NO_SUMMARY.lan }, ENGLISH)).toMatch(/^Farebox: ./)
  })

  it('says beside it whether other machines can reach the gateway', () => {
    const lan = { ...NO_SUMMARY.lan, state: 'on' as const, urls: ['https://192.168.1.5:3273'] }
    expect(tooltipOf({ gateway: RUNNING, isLow: false, lan }, ENGLISH)).toBe(
      'Farebox: running at 127.0.0.1:3273, LAN on',
    )
    expect(tooltipOf({ gateway: { type: 'stopped' }, isLow: false, lan }, ENGLISH)).toBe('Farebox: stopped')
    expect(menuText({ lan })[1]).toBe('LAN: on, at 192.168.1.5:3273')
    const failed = { ...NO_SUMMARY.lan, state: 'failed', problem: 'The network is not there.' } as const
    expect(menuText({ lan: failed })[1]).toBe('LAN: not on. The network is not there.')
  })

  it('is low for a key that is used and has a tenth left, not for one that nobody uses', () => {
    expect(summarise(reading({ keys: [keyView('a', { remaining: 1.01 })] }), NOW_MS).isLow).toBe(false)
    expect(summarise(reading({ keys: [keyView('a', { remaining: 1 })] }), NOW_MS).isLow).toBe(true)
    expect(summarise(reading({ keys: [keyView('a', {}, { balance: longAgo })] }), NOW_MS).isLow).toBe(false)
    expect(summarise(reading({ keys: [keyView('a', { total: 0, remaining: 0 })] }), NOW_MS).isLow).toBe(false)
  })

  it('is what each system can draw', () => {
    expect([iconFile('low', 'darwin'), iconFile('low', 'win32'), iconFile('low', 'linux')]).toEqual([
      'tray/lowTemplate.png',
      'tray/low.ico',
      'tray/low.png',
    ])
  })
})
