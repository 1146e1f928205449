// The verbs beyond the first set-up: editing, the demo, members, the audit log, settings and reports.

import { describe, expect, it } from 'vitest'
import { ANSWERS, AUDIT_ENTRY, fakeGateway, LEDGER_ENTRY, OVERVIEW, REPORT } from './fake-gateway.ts'
import { run, type World } from './fake-host.ts'
import { PASSWORD } from '../support/password.ts'

type Sent = { readonly method: string; readonly path: string; readonly body?: unknown }

/** What is typed, and the only request that it makes. */
const REQUESTS: readonly (readonly [typed: string, sent: Sent, world?: World])[] = [
  [
    'model edit gpt/5 --display-name GPT --context-window 9 --max-output-tokens 3 --target groq/meta/Llama --target a/b',
    {
      method: 'PATCH',
      path: '/api/models/gpt%2F5',
      body: {
        display_name: 'GPT',
        context_window: 9,
        max_output_tokens: 3,
        targets: [
          { provider: 'groq', model: 'meta/Llama' },
          { provider: 'a', model: 'b' },
        ],
      },
    },
  ],
  ['model edit gpt --context-window 9', { method: 'PATCH', path: '/api/models/gpt', body: { context_window: 9 } }],
  [
    'provider edit openai --base-url https://a.example --network local --secret-header api-key ' +
      '--output-cap-field max_tokens --on-disconnect drain --quirks stream_usage=false,max_stops=2 ' +
      '--limits credits_per_day=1.5 --time-limits connect_ms=5',
    {
      method: 'PATCH',
      path: '/api/providers/openai',
      body: {
        base_url: 'https://a.example',
        network: 'local',
        secret_header: 'api-key',
        output_cap_field: 'max_tokens',
        on_disconnect: 'drain',
        quirks: { stream_usage: false, max_stops: 2 },
        limits: { credits_per_day: 1.5 },
        time_limits: { connect_ms: 5 },
      },
    },
  ],
  [
    'provider edit openai --quirks none --limits none --time-limits none',
    { method: 'PATCH', path: '/api/providers/openai', body: { quirks: {}, limits: {}, time_limits: {} } },
  ],
  ['provider secret list openai', { method: 'GET', path: '/api/providers/openai/secrets' }],
  [
    'provider secret add openai --label second --secret-stdin --weight 2 --limits credits_per_day=20,tokens_per_minute=9',
    {
      method: 'POST',
      path: '/api/providers/openai/secrets',
      body: { label: 'second', secret: 'sk', weight: 2, limits: { credits_per_day: 20, tokens_per_minute: 9 } },
    },
    { stdin: 'sk\n' },
  ],
  [
    'provider secret set openai --label second --limits none',
    { method: 'PATCH', path: '/api/providers/openai/secrets', body: { label: 'second', limits: {} } },
  ],
  [
    'provider secret remove openai --label second',
    { method: 'DELETE', path: '/api/providers/openai/secrets?label=second' },
  ],
  ['lan status', { method: 'GET', path: '/api/lan' }],
  ['lan off', { method: 'DELETE', path: '/api/lan' }],
  ['lan certificate', { method: 'GET', path: '/api/lan/certificate' }],
  ['lan on', { method: 'PUT', path: '/api/lan', body: {} }],
  [
    'lan on --interface eth0 --port 3300 --name a.test --name b.test --administration on --new-certificate',
    {
      method: 'PUT',
      path: '/api/lan',
      body: { interface: 'eth0', port: 3300, names: ['a.test', 'b.test'], administration: true, new_certificate: true },
    },
  ],
  [
    'lan on --address 192.168.1.5 --name none --administration off --certificate-file none --key-file none',
    {
      method: 'PUT',
      path: '/api/lan',
      body: { address: '192.168.1.5', names: [], administration: false, certificate_file: null, key_file: null },
    },
  ],
  ['demo', { method: 'POST', path: '/api/demo' }],
  ['member list', { method: 'GET', path: '/api/members' }],
  ['member add ada', { method: 'POST', path: '/api/members', body: { name: 'ada' } }],
  [
    'member add ada --role administrator --packages a,b --password-stdin',
    {
      method: 'POST',
      path: '/api/members',
      body: { name: 'ada', role: 'administrator', packages: ['a', 'b'], password: PASSWORD },
    },
    { stdin: `${PASSWORD}\n` },
  ],
  [
    'member edit ada --role member --packages none --status suspended',
    { method: 'PATCH', path: '/api/members/ada', body: { role: 'member', packages: [], status: 'suspended' } },
  ],
  ['member edit ada --packages all', { method: 'PATCH', path: '/api/members/ada', body: { packages: 'all' } }],
  [
    'member password ada --password-file ada.txt',
    { method: 'PUT', path: '/api/members/ada/password', body: { password: PASSWORD } },
    { files: { 'ada.txt': `${PASSWORD}\n` } },
  ],
  [
    'member password ada --password-env ADA',
    { method: 'PUT', path: '/api/members/ada/password', body: { password: PASSWORD } },
    { env: { ADA: PASSWORD } },
  ],
  ['member remove ada', { method: 'DELETE', path: '/api/members/ada' }],
  ['member invite ada', { method: 'POST', path: '/api/invites', body: { name: 'ada' } }],
  [
    'member invite ada --packages a,b',
    { method: 'POST', path: '/api/invites', body: { name: 'ada', packages: ['a', 'b'] } },
  ],
  ['member invites', { method: 'GET', path: '/api/invites' }],
  ['member withdraw ada', { method: 'DELETE', path: '/api/invites/ada' }],
  ['audit', { method: 'GET', path: '/api/audit' }],
  [
    'audit --action topUpKey --actor ada --limit 5 --before a-1',
    { method: 'GET', path: '/api/audit?action=topUpKey&actor=ada&limit=5&before=a-1' },
  ],
  ['settings', { method: 'GET', path: '/api/settings' }],
  [
    'settings set hold_wait_ms --value 5000',
    { method: 'PUT', path: '/api/settings/hold_wait_ms', body: { value: '5000' } },
  ],
  [
    'settings set hold_wait_ms --value default',
    { method: 'PUT', path: '/api/settings/hold_wait_ms', body: { value: null } },
  ],
  ['overview', { method: 'GET', path: '/api/overview' }],
  ['usage report', { method: 'GET', path: '/api/usage-report' }],
  [
    'usage report --from 7d --to 24h --group key --rollup hour --top 3 --key k --model a/b --provider p --package q --owner o',
    {
      method: 'GET',
      path: '/api/usage-report?from=7d&to=24h&group=key&rollup=hour&top=3&key=k&model=a%2Fb&provider=p&package=q&owner=o',
    },
  ],
  [
    'usage --until 24h --provider p --package q --owner o --status failed --min-credits 0.5',
    { method: 'GET', path: '/api/usage?until=24h&provider=p&package=q&owner=o&status=failed&min_credits=0.5' },
  ],
  [
    'usage --by member',
    { method: 'GET', path: '/api/usage-report?from=month&group=member&rollup=day&points=none&top=999' },
  ],
  [
    'usage --by key --since 2026-11-01 --until 2026-12-01 --member ada --model a/b',
    {
      method: 'GET',
      path: '/api/usage-report?model=a%2Fb&member=ada&from=2026-11-01&to=2026-12-01&group=key&rollup=day&points=none&top=999',
    },
  ],
  ['usage --member ada', { method: 'GET', path: '/api/usage?member=ada' }],
  ['usage report --member ada', { method: 'GET', path: '/api/usage-report?member=ada' }],
  [
    'project set apollo --credits-per-day 2.5 --credits-per-month none',
    { method: 'PUT', path: '/api/projects/apollo', body: { credits_per_day: 2.5, credits_per_month: null } },
  ],
  ['fleet', { method: 'GET', path: '/api/fleet' }],
  ['fleet settle g-1 --as free', { method: 'POST', path: '/api/fleet/g-1/settle', body: { as: 'free' } }],
  ['ledger list', { method: 'GET', path: '/api/ledger' }],
  [
    'ledger list --key laptop --kind adjustment --limit 5 --before 17',
    { method: 'GET', path: '/api/ledger?key=laptop&kind=adjustment&limit=5&before=17' },
  ],
  ['ledger list --since 2026-10-01 --until month', { method: 'GET', path: '/api/ledger?since=2026-10-01&until=month' }],
]

const CASES = REQUESTS.map(([typed, sent, world]) => ({ typed, words: typed.split(' '), sent, world: world ?? {} }))

describe('a verb', () => {
  it.each(CASES)('sends what was typed: $typed', async ({ words, sent, world }) => {
    const ran = await run(words, world)
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' })
    expect(ran.requests).toEqual([{ body: undefined, ...sent }])
    expect(ran.stdout.trim()).not.toBe('')
    expect(ran.stdout).not.toContain(PASSWORD)
  })

  it.each(CASES)('prints exactly the answer as one line of JSON: $typed --json', async ({ words, world }) => {
    const ran = await run([...words, '--json'], world)
    const printed: unknown = JSON.parse(ran.stdout)
    expect(Object.values(ANSWERS)).toContainEqual(printed)
    expect(ran.stdout).toMatch(/^[^\n]+\n$/)
  })

  it.each([
    ['model edit gpt', 'Say what to change.'],
    ['model edit gpt --target openai', '--target takes PROVIDER/UPSTREAM_MODEL.'],
    ['model edit gpt --context-window 0', '--context-window'],
    ['model edit gpt --input 1', 'There is no flag --input here.'],
    ['provider edit openai', 'Say what to change.'],
    ['provider edit openai --limits requests=1', '--requests is not a known field.'],
    ['provider edit openai --dialect messages', 'There is no flag --dialect here.'],
    ['provider edit openai --secret-stdin', 'There is no flag --secret-stdin here.'],
    ['member edit ada', 'Say what to change.'],
    ['member edit ada --role owner', '--role must be one of administrator, member.'],
    ['member edit ada --status gone', '--status must be one of active, suspended.'],
    ['member add ada --packages a,,b', '--packages takes all, or names with commas between them.'],
    ['member password ada', 'Say where the password is.'],
    ['audit --limit 0', '--limit takes a whole number from 1 to 9999.'],
    ['audit --limit 10000', '--limit takes a whole number from 1 to 9999.'],
    ['ledger list --kind deposit', '--kind must be one of hold'],
    ['ledger list --csv --json', '--csv and --json exclude each other.'],
    ['usage report --group colour', '--group must be one of none'],
    ['usage report --top 1.5', '--top takes a whole number from 1 to 999.'],
    ['usage --status lost', '--status must be one of ok, failed, cut, out_of_credits, client_gone.'],
    [
      'usage --by colour',
      '--by must be one of member, owner, key, model, provider, package, tool, project, tag, session.',
    ],
    ['usage --by none', '--by must be one of member'],
    ['usage --by member --limit 5', '--limit picks single calls'],
    ['usage --by member --status ok', '--status picks single calls'],
    ['usage --by member --min-credits 1', '--min-credits picks single calls'],
    ['usage --by member --before x', '--before picks single calls'],
    ['usage --by member --receipt x', '--receipt names one call'],
    ['usage --by member --csv --json', '--csv and --json exclude each other.'],
    ['usage --min-credits much', '--min-credits'],
    ['usage report --csv --json', '--csv and --json exclude each other.'],
  ])('is refused before anything is asked: %s', async (typed, message) => {
    const ran = await run(typed.split(' '))
    expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [], store: [] })
    expect(ran.stderr).toContain(message)
  })
})

describe('the password of a member', () => {
  it.each([
    ['member add ada --password hunter2hunter2'],
    ['member password ada --password hunter2hunter2'],
    ['member password ada hunter2hunter2'],
  ])('is never an argument: %s', async (typed) => {
    const ran = await run(typed.split(' '))
    expect(ran).toMatchObject({ exitCode: 2, requests: [] })
    expect(ran.stderr).not.toContain('hunter2')
  })

  it('comes from one place only, which must have something in it', async () => {
    const both = ['member', 'password', 'ada', '--password-stdin', '--password-env', 'ADA']
    expect(await run(both, { env: { ADA: PASSWORD }, stdin: PASSWORD })).toMatchObject({ exitCode: 2, requests: [] })
    const empty = await run(['member', 'password', 'ada', '--password-stdin'], { stdin: '\n' })
    expect(empty).toMatchObject({ exitCode: 1, requests: [], stderr: 'farebox: Standard input is empty.\n' })
    const json = await run(['member', 'add', 'ada', '--password-file', 'nowhere', '--json'])
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { type: 'unreadable_password' } })
  })

  it('that is too short is refused without being repeated', async () => {
    const ran = await run(['member', 'password', 'ada', '--password-stdin'], { stdin: 'short-pw' })
    expect(ran).toMatchObject({ exitCode: 2, requests: [] })
    expect(ran.stderr).toContain('The password must')
    expect(ran.stderr).not.toContain('short-pw')
  })

  it('is asked for twice at a terminal', async () => {
    const ran = await run(['member', 'password', 'ada'], { typed: [PASSWORD, PASSWORD] })
    expect(ran).toMatchObject({ exitCode: 0, questions: ['New password of ada: ', 'Once more: '] })
    expect(ran.requests[0]?.body).toEqual({ password: PASSWORD })
  })

  it('is not set when the two differ, or when nothing was typed', async () => {
    const differ = await run(['member', 'password', 'ada'], { typed: [PASSWORD, `${PASSWORD}!`] })
    expect(differ).toMatchObject({ exitCode: 1, requests: [] })
    expect(differ.stderr).not.toContain(PASSWORD)
    expect(await run(['member', 'password', 'ada'], { typed: [''] })).toMatchObject({ exitCode: 2, requests: [] })
  })

  it('is never asked of a program', async () => {
    const ran = await run(['member', 'password', 'ada', '--json'], { typed: [PASSWORD, PASSWORD] })
    expect(ran).toMatchObject({ exitCode: 2, requests: [], questions: [] })
  })
})

describe('provider edit', () => {
  it('says that another address has no secret', async () => {
    const [provider] = ANSWERS.listProviders
    const body = { ...provider, has_secret: false, secret_state: 'none' }
    const gateway = fakeGateway(() => ({ status: 200, body }))
    const moved = await run(['provider', 'edit', 'openai', '--base-url', 'https://b.example'], { gateway })
    expect(moved.stdout).toContain('set it with: farebox provider secret openai --secret-stdin\n')
    const stayed = await run(['provider', 'edit', 'openai', '--limits', 'none'], { gateway })
    expect(stayed.stdout).toBe('Provider openai is changed.\n')
  })
})

describe('demo', () => {
  it('prints what was made and the key once', async () => {
    const { stdout } = await run(['demo'])
    expect(stdout).toBe('Made: provider demo, model demo-chat.\nYour first key, shown only once:\n\n  key_0123456789\n')
  })

  it('says that there was nothing to do', async () => {
    const gateway = fakeGateway(() => ({ status: 200, body: { made: [], key: null } }))
    expect((await run(['demo'], { gateway })).stdout).toBe('The demo is set up already.\n')
  })
})

describe('member add', () => {
  it('says how to let a member sign in who has no password', async () => {
    const body = { ...ANSWERS.addMember, has_password: false }
    const { stdout } = await run(['member', 'add', 'ada'], { gateway: fakeGateway(() => ({ status: 200, body })) })
    expect(stdout).toContain("'farebox member password ada'")
  })
})

describe('member invite', () => {
  const { link, fingerprint } = ANSWERS.createInvite
  const words = ['member', 'invite', 'ada']

  it('prints the card once, without pictures where nobody looks', async () => {
    const { stdout } = await run(words)
    for (const part of [link, fingerprint ?? 'none', 'good once']) expect(stdout).toContain(part)
    for (const sign of ['▀', '▄', '█', '\u001b']) expect(stdout).not.toContain(sign)
  })

  it('draws the link as a QR code where the terminal is wide enough, and for no program', async () => {
    const { stdout } = await run(words, { columns: 80 })
    const rows = stdout.split('\n').filter((line) => line.startsWith('\u001b['))
    // A code of 33 by 33 with its border, two rows of it in a line.
    expect(rows).toHaveLength(19)
    expect((await run(words, { columns: 36 })).stdout).not.toContain('\u001b')
    expect((await run([...words, '--json'], { columns: 80 })).stdout).not.toContain('\u001b')
  })

  it('says that the link leads nowhere else where the LAN is off', async () => {
    const body = { ...ANSWERS.createInvite, fingerprint: null }
    const { stdout } = await run(words, { gateway: fakeGateway(() => ({ status: 200, body })) })
    expect(stdout).toContain('on this machine only')
    expect(stdout).not.toContain('SHA-256')
  })
})

it('says of each gateway of a fleet how it is', async () => {
  const { stdout } = await run(['fleet'])
  expect(stdout).toMatch(
    /^PLACE +STATE +VERSION +LAST SEEN .*IN DOUBT +ID\none:\/data +running, this one +0\.1\.0 +2027-01-02.* 120 +210\/900 ms /,
  )
})

it('says which limits a project has now', async () => {
  const { stdout } = await run(['project', 'set', 'apollo', '--credits-per-day', '2.5'])
  expect(stdout).toBe('Project apollo has 2.5 credits a day.\n')
})

describe('member edit', () => {
  const sent = async (typed: string) => {
    const gateway = fakeGateway()
    const result = await run(['member', 'edit', 'ada', ...typed.split(' ')], { gateway })
    return { result, body: gateway.requests.find(({ method }) => method === 'PATCH')?.body }
  }

  it('sends the limits that stay along with those that change, because they are replaced as a whole', async () => {
    expect((await sent('--concurrent-requests 4 --credits-per-day 2.5')).body).toEqual({
      limits: { requests_per_minute: 60, concurrent_requests: 4, credits_per_day: 2.5 },
    })
    expect((await sent('--requests-per-minute none')).body).toEqual({ limits: {} })
    expect((await sent('--status suspended')).body).toEqual({ status: 'suspended' })
  })

  it('says which limits the member has now', async () => {
    const { result } = await sent('--requests-per-minute 60')
    expect(result.stdout).toContain('60 requests per minute')
  })

  it.each(['--requests-per-minute 0', '--tokens-per-minute many', '--credits-per-day -1', '--concurrent-requests 1.5'])(
    'asks nothing for a limit like %s',
    async (typed) => {
      const { result, body } = await sent(typed)
      expect([result.exitCode, body]).toEqual([2, undefined])
    },
  )
})

describe('a list with more behind it', () => {
  it.each([
    ['audit', '\n\nThere is more: add --before a-0\n'],
    ['ledger list', '\n\nThere is more: add --before 16\n'],
  ])('says how to go on: %s', async (typed, ending) => {
    expect((await run(typed.split(' '))).stdout.endsWith(ending)).toBe(true)
  })

  it('shows who did what, and refusals as such', async () => {
    const entries = [
      { ...AUDIT_ENTRY, details: { document: 'x'.repeat(100) } },
      { ...AUDIT_ENTRY, actor: 'ada\u001b[2J', outcome: 'forbidden', status: 403, subject: null, details: {} },
    ]
    const gateway = fakeGateway(() => ({ status: 200, body: { entries, next: null } }))
    const lines = (await run(['audit'], { gateway })).stdout.split('\n')
    expect(lines[1]).toMatch(/^2027-01-02 03:04 UTC {2}command line {2}topUpKey {2}laptop {3}done +document=x{50}…$/)
    expect(lines[2]).toMatch(/ada\ufffd\[2J +topUpKey +- +forbidden \(403\) {2}-$/)
  })

  it('shows how often strangers did the same, where from, and when last', async () => {
    const knock = { ...AUDIT_ENTRY, actor: 'nobody', action: 'signIn', subject: null, outcome: 'unauthenticated' }
    const entries = [{ ...knock, status: 401, details: {}, source: '192.0.2.7', count: 5000 }]
    const gateway = fakeGateway(() => ({ status: 200, body: { entries, next: null } }))
    const { stdout } = await run(['audit'], { gateway })
    expect(stdout).toMatch(/unauthenticated \(401\), 5000 times {2}source=192\.0\.2\.7 last=2027-01-02 03:04 UTC\n/)
  })

  it('shows what an entry changed and left', async () => {
    const body = { entries: [LEDGER_ENTRY], next: null }
    const { stdout } = await run(['ledger', 'list'], { gateway: fakeGateway(() => ({ status: 200, body })) })
    expect(stdout).toBe(
      'SEQ  TIME                  KEY     KIND       AMOUNT    CHARGE  AVAILABLE  MODEL    REASON  REQUEST\n' +
        ' 17  2027-01-02 03:04 UTC  laptop  settle  -0.000213  0.000213       49.5  gpt-5.5  -       u-1\n',
    )
  })
})

describe('an entry of a key without a limit', () => {
  const body = { entries: [{ ...LEDGER_ENTRY, available_credits: null }], next: null }
  const gateway = () => fakeGateway(() => ({ status: 200, body }))

  it('says that nothing bounds the key, where others say what it had left', async () => {
    const { stdout } = await run(['ledger', 'list'], { gateway: gateway() })
    expect(stdout.split('\n')[1]).toContain('  0.000213  unlimited  gpt-5.5')
  })

  it('has no number for a program', async () => {
    const { stdout } = await run(['ledger', 'list', '--json'], { gateway: gateway() })
    expect(JSON.parse(stdout)).toEqual(body)
  })
})

describe('overview', () => {
  it('shows what is running, left, spent and wrong', async () => {
    const { stdout } = await run(['overview'])
    expect(stdout).toContain('keys                3 and 1 unlimited\n')
    expect(stdout).toContain('credits of laptop   49.5 of 50, at this pace runs out 2027-03-04 00:00 UTC\n')
    expect(stdout).toContain('credits today       0.25, yesterday by now 0\n')
    expect(stdout).toContain("Needs attention:\n- The secret of 'openai' is locked.\n")
    expect(stdout).toMatch(/laptop +gpt-5\.5 +openai +answered/)
  })

  it('does not say 0 where there are no credits to speak of', async () => {
    const credits = { ...OVERVIEW.credits, lowest: [], keys: 0, unlimited_keys: 0 }
    const body = { ...OVERVIEW, credits, attention: [], latest: [] }
    const { stdout } = await run(['overview'], { gateway: fakeGateway(() => ({ status: 200, body })) })
    expect(stdout).not.toContain('credits of')
    expect(stdout).toContain('Nothing needs attention.\n\nThere is no usage yet.\n')
  })
})

describe('usage report', () => {
  it('is a table of the groups with the time before, in the time zone of the report', async () => {
    const { stdout } = await run(['usage', 'report', '--group', 'model'])
    expect(stdout.split('\n')).toEqual([
      '2027-01-01 00:00 to 2027-01-03 00:00, Europe/Berlin',
      '',
      'MODEL     REQUESTS  FAILED  IN  CACHED  WRITTEN  OUT  CREDITS  BEFORE',
      '=gpt-5.5         3       1  30       4        0   60     0.25       0',
      'other            3       1  30       4        0   60     0.25    0.25',
      'total            6       2  30       4        0   60      0.5    0.75',
      '',
      'The same length of time before: 0.75 credits in 3 requests.',
      'For 2 calls some tokens were counted by Farebox or are not known.',
      'The tokens of 1 calls are not known and not in the sums.',
      '',
    ])
  })

  it('is the course of time where there are no groups', async () => {
    const [first] = REPORT.series
    const body = { ...REPORT, group: 'none', series: [{ ...first, kind: 'all', name: null }] }
    const { stdout } = await run(['usage', 'report'], { gateway: fakeGateway(() => ({ status: 200, body })) })
    expect(stdout).toContain('DAY               REQUESTS  FAILED  IN')
    expect(stdout).toMatch(/\n2027-01-02 00:00 +3 +1 +30 .*\ntotal +6 +2 /)
    expect(stdout).not.toContain('\n2027-01-01 00:00  ')
  })

  it('says that there was nothing', async () => {
    const body = { ...REPORT, series: [] }
    const { stdout } = await run(['usage', 'report'], { gateway: fakeGateway(() => ({ status: 200, body })) })
    expect(stdout).toContain('There was no usage.')
  })

  it('has a line for each interval of each group as CSV, safe for spreadsheets', async () => {
    const { stdout } = await run(['usage', 'report', '--csv'])
    expect(stdout.split('\r\n')).toEqual([
      'interval,kind,name,requests,failed,input_tokens,cache_read_tokens,cache_write_tokens,output_tokens,reasoning_tokens,charge_credits,estimated_usage,unknown_usage',
      "2026-12-31T23:00:00.000Z,value,'=gpt-5.5,0,0,0,0,0,0,0,0,0,0",
      "2027-01-01T23:00:00.000Z,value,'=gpt-5.5,3,1,30,4,0,60,5,0.25,0,0",
      '2026-12-31T23:00:00.000Z,other,,3,1,30,4,0,60,5,0.25,0,0',
      '2027-01-01T23:00:00.000Z,other,,0,0,0,0,0,0,0,0,0,0',
      '',
    ])
  })
})

describe('usage --by member', () => {
  const [first] = REPORT.series
  const named = (id: string | null, name: string | null) => ({ ...first, kind: 'value', id, name, points: [] })
  const series = [named('m1', '=Ann'), named(null, '=Ann'), named(null, null)]
  const gateway = () => fakeGateway(() => ({ status: 200, body: { ...REPORT, group: 'member', series } }))

  it('tells a member from a key that only names one, and says of which time it is', async () => {
    const { stdout } = await run(['usage', '--by', 'member'], { gateway: gateway() })
    const lines = stdout.split('\n')
    expect(lines[0]).toBe('2027-01-01 00:00 to 2027-01-03 00:00, Europe/Berlin')
    expect(lines.slice(3, 6).map((line) => line.slice(0, 16).trim())).toEqual(['=Ann', '=Ann (no member)', '(nobody)'])
  })

  it('says so in every line as CSV, safe for spreadsheets', async () => {
    const { stdout } = await run(['usage', '--by', 'member', '--csv'], { gateway: gateway() })
    const head = '2026-12-31T23:00:00.000Z,2027-01-02T23:00:00.000Z,Europe/Berlin,value'
    const sums = '3,1,30,4,0,60,5,0.25,0,0'
    expect(stdout.split('\r\n')).toEqual([
      'from,to,time_zone,kind,member,id,requests,failed,input_tokens,cache_read_tokens,cache_write_tokens,output_tokens,reasoning_tokens,charge_credits,estimated_usage,unknown_usage',
      `${head},'=Ann,m1,${sums}`,
      `${head},'=Ann,,${sums}`,
      `${head},,,${sums}`,
      '',
    ])
  })

  it('is the report itself as JSON', async () => {
    const { stdout } = await run(['usage', '--by', 'member', '--json'], { gateway: gateway() })
    expect(JSON.parse(stdout)).toMatchObject({ group: 'member', time_zone: 'Europe/Berlin', from: REPORT.from })
  })
})
