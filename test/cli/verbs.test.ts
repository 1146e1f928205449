import { describe, expect, it } from 'vitest'
import { ANSWERS, fakeGateway, refusal } from './fake-gateway.ts'
import { run, type World } from './fake-host.ts'

type Sent = { readonly method: string; readonly path: string; readonly body?: unknown }

const ENV = { env: { OPENAI_API_KEY: 'sk-live-1234' } }

/** Every verb: what is typed, and the only request that it makes. */
const REQUESTS: readonly (readonly [typed: string, sent: Sent, world?: World])[] = [
  ['provider list', { method: 'GET', path: '/api/providers' }],
  [
    'provider add openai --dialect chat-completions --base-url https://api.openai.com/v1',
    {
      method: 'POST',
      path: '/api/providers',
      body: { name: 'openai', dialect: 'chat-completions', base_url: 'https://api.openai.com/v1' },
    },
  ],
  [
    'provider add openai --dialect=chat-completions --output-cap-field max_completion_tokens --on-disconnect drain --secret-env OPENAI_API_KEY',
    {
      method: 'POST',
      path: '/api/providers',
      body: {
        name: 'openai',
        dialect: 'chat-completions',
        output_cap_field: 'max_completion_tokens',
        on_disconnect: 'drain',
        secret: 'sk-live-1234',
      },
    },
    ENV,
  ],
  [
    'provider secret openai --secret-file key.txt',
    { method: 'PUT', path: '/api/providers/openai/secret', body: { secret: 'sk-live-1234' } },
    { files: { 'key.txt': 'sk-live-1234\n' } },
  ],
  [
    'provider secret openai --secret-stdin',
    { method: 'PUT', path: '/api/providers/openai/secret', body: { secret: 'sk-live-1234' } },
    { stdin: 'sk-live-1234\r\n' },
  ],
  ['provider test openai', { method: 'POST', path: '/api/providers/openai/test' }],
  ['provider test openai --model gpt-5.5', { method: 'POST', path: '/api/providers/openai/test?model=gpt-5.5' }],
  ['provider discover', { method: 'POST', path: '/api/discovery', body: {} }],
  [
    'provider discover --add --ports ollama=11435,llama-cpp=8081',
    { method: 'POST', path: '/api/discovery', body: { add: 'all', ports: { ollama: 11_435, 'llama-cpp': 8081 } } },
  ],
  ['provider presets', { method: 'GET', path: '/api/presets' }],
  ['provider models openai', { method: 'GET', path: '/api/providers/openai/models' }],
  [
    'provider models openai --enable all --context-window 8192 --max-output-tokens 1024',
    {
      method: 'POST',
      path: '/api/providers/openai/models',
      body: { models: 'all', context_window: 8192, max_output_tokens: 1024 },
    },
  ],
  ['provider remove openai', { method: 'DELETE', path: '/api/providers/openai' }],

  ['secret move', { method: 'POST', path: '/api/secrets/move' }],
  ['secret reseal', { method: 'POST', path: '/api/secrets/reseal' }],

  ['model list', { method: 'GET', path: '/api/models' }],
  [
    'model add llama --context-window 8192 --target groq/meta-llama/Llama-3 --target local/llama',
    {
      method: 'POST',
      path: '/api/models',
      body: {
        id: 'llama',
        context_window: 8192,
        targets: [
          { provider: 'groq', model: 'meta-llama/Llama-3' },
          { provider: 'local', model: 'llama' },
        ],
      },
    },
  ],
  [
    'model add e --kind embedding --display-name E --context-window 512 --max-output-tokens 1 --input 0.02 --output 0 ' +
      '--cache-read 0.01 --cache-write 0.03 --target p/e --disabled',
    {
      method: 'POST',
      path: '/api/models',
      body: {
        id: 'e',
        kind: 'embedding',
        display_name: 'E',
        context_window: 512,
        max_output_tokens: 1,
        price: { input: 0.02, output: 0, cache_read: 0.01, cache_write: 0.03 },
        targets: [{ provider: 'p', model: 'e' }],
        enabled: false,
      },
    },
  ],
  [
    'model price gpt/5 --input 1.25 --output 10',
    { method: 'PUT', path: '/api/models/gpt%2F5/price', body: { input: 1.25, output: 10 } },
  ],
  [
    'model price gpt --input 1 --output 2 --confirm-jump',
    { method: 'PUT', path: '/api/models/gpt/price', body: { input: 1, output: 2, confirm_jump: true } },
  ],
  [
    'model price gpt --input 1 --output 2 --cache-write-1h 3 --minimum 0.1 --unit image=0.04 --unit image/a/high=0.1 ' +
      '--tier flex=0.5 --tier priority:input=2,output=4 --step above=200000,input=2,output=3',
    {
      method: 'PUT',
      path: '/api/models/gpt/price',
      body: {
        input: 1,
        output: 2,
        cache_write_1h: 3,
        minimum: 0.1,
        units: { image: 0.04, 'image/a/high': 0.1 },
        tiers: { flex: 0.5, priority: { input: 2, output: 4 } },
        steps: [{ above: 200_000, input: 2, output: 3 }],
      },
    },
  ],
  ['model card', { method: 'GET', path: '/api/price-card' }],
  ['model card --card 3', { method: 'GET', path: '/api/price-card?card=3' }],
  ['model card list', { method: 'GET', path: '/api/price-card/versions' }],
  ['model card fetch', { method: 'POST', path: '/api/price-card/fetch' }],
  ['model enable gpt', { method: 'POST', path: '/api/models/gpt/enable' }],
  ['model disable gpt', { method: 'POST', path: '/api/models/gpt/disable' }],
  ['model remove gpt', { method: 'DELETE', path: '/api/models/gpt' }],

  ['package list', { method: 'GET', path: '/api/packages' }],
  [
    'package add try --type topup --credits 5 --requests-per-minute 60',
    {
      method: 'POST',
      path: '/api/packages',
      body: { name: 'try', type: 'topup', credits: 5, limits: { requests_per_minute: 60 } },
    },
  ],
  [
    'package add t --type daily --credits 0.5 --tokens-per-minute 1000 --concurrent-requests 2 --models a,b ' +
      '--timezone Europe/Berlin --valid-until 2027-12-31',
    {
      method: 'POST',
      path: '/api/packages',
      body: {
        name: 't',
        type: 'daily',
        credits: 0.5,
        limits: { tokens_per_minute: 1000, concurrent_requests: 2 },
        models: ['a', 'b'],
        timezone: 'Europe/Berlin',
        valid_until: '2027-12-31',
      },
    },
  ],
  [
    'package edit team --credits 7 --models all --valid-until none',
    { method: 'PATCH', path: '/api/packages/team', body: { credits: 7, models: 'all', valid_until: null } },
  ],
  ['package remove team', { method: 'DELETE', path: '/api/packages/team' }],

  [
    'key create laptop --package team',
    { method: 'POST', path: '/api/keys', body: { name: 'laptop', package: 'team' } },
  ],
  [
    'key create laptop --package team --owner ann --expires 90d',
    { method: 'POST', path: '/api/keys', body: { name: 'laptop', package: 'team', owner: 'ann', expires: '90d' } },
  ],
  ['key list', { method: 'GET', path: '/api/keys' }],
  ['key show laptop', { method: 'GET', path: '/api/keys/laptop' }],
  ['key suspend laptop', { method: 'POST', path: '/api/keys/laptop/suspend' }],
  ['key resume laptop', { method: 'POST', path: '/api/keys/laptop/resume' }],
  [
    'key extend laptop --expires never',
    { method: 'POST', path: '/api/keys/laptop/extend', body: { expires: 'never' } },
  ],
  [
    'key adjust laptop --credits -2.5 --reason mistake --idempotency-id once',
    {
      method: 'POST',
      path: '/api/keys/laptop/adjust',
      body: { credits: -2.5, reason: 'mistake', idempotency_id: 'once' },
    },
  ],
  ['key move laptop --package pro', { method: 'POST', path: '/api/keys/laptop/move', body: { package: 'pro' } }],
  [
    'package edit team --type daily --credits 5 --reset-used',
    { method: 'PATCH', path: '/api/packages/team', body: { type: 'daily', credits: 5, reset_used: true } },
  ],
  [
    'key top-up laptop --credits 2.5 --reason thanks --idempotency-id once',
    {
      method: 'POST',
      path: '/api/keys/laptop/top-up',
      body: { credits: 2.5, reason: 'thanks', idempotency_id: 'once' },
    },
  ],
  ['key rotate laptop', { method: 'POST', path: '/api/keys/laptop/rotate', body: {} }],
  [
    'key rotate laptop --overlap 7d --expires 90d',
    { method: 'POST', path: '/api/keys/laptop/rotate', body: { overlap: '7d', expires: '90d' } },
  ],
  ['key revoke laptop', { method: 'POST', path: '/api/keys/laptop/revoke' }],

  ['usage', { method: 'GET', path: '/api/usage' }],
  ['usage --receipt u-1', { method: 'GET', path: '/api/usage/u-1' }],
  [
    'usage --since 24h --key laptop --model a/b --limit 5 --before c',
    { method: 'GET', path: '/api/usage?since=24h&key=laptop&model=a%2Fb&before=c&limit=5' },
  ],
  [
    'bills check /tmp/usage.csv --provider openai --account-keys key_a,key_b',
    {
      method: 'POST',
      path: '/api/bills/check',
      body: { provider: 'openai', file: '/tmp/usage.csv', account_keys: ['key_a', 'key_b'] },
    },
  ],
  [
    'bills settle /tmp/usage.csv --provider openai --dry-run',
    { method: 'POST', path: '/api/bills/settle', body: { provider: 'openai', file: '/tmp/usage.csv', dry_run: true } },
  ],
  [
    'bills check openai --days 3 --project proj_a --account-keys key_a',
    {
      method: 'POST',
      path: '/api/bills/check',
      body: { provider: 'openai', days: 3, project: 'proj_a', account_keys: ['key_a'] },
    },
  ],
  [
    'bills settle openai --dry-run',
    { method: 'POST', path: '/api/bills/settle', body: { provider: 'openai', dry_run: true } },
  ],
  ['bills balances', { method: 'GET', path: '/api/bills/balances' }],
  [
    'bills balances --ask --provider deepseek',
    { method: 'POST', path: '/api/bills/balances', body: { provider: 'deepseek' } },
  ],
  ['bills secret list', { method: 'GET', path: '/api/bills/secrets' }],
  [
    'bills secret add openai --secret-env ADMIN',
    { method: 'PUT', path: '/api/bills/secrets/openai', body: { secret: 'sk-admin', try: true } },
    { env: { ADMIN: 'sk-admin' } },
  ],
  ['bills secret remove openai', { method: 'DELETE', path: '/api/bills/secrets/openai' }],
  ['ledger verify', { method: 'GET', path: '/api/ledger/verify' }],
  [
    'apply -f farebox.yaml',
    {
      method: 'POST',
      path: '/api/apply',
      body: { document: { packages: [{ name: 'a', type: 'topup' }] }, dry_run: false },
    },
    { files: { 'farebox.yaml': 'packages: [{ name: a, type: topup }]' } },
  ],
  [
    'apply --file farebox.yaml --dry-run',
    { method: 'POST', path: '/api/apply', body: { document: { packages: [] }, dry_run: true } },
    { files: { 'farebox.yaml': 'packages: []' } },
  ],
]

const CASES = REQUESTS.map(([typed, sent, world]) => ({ typed, words: typed.split(' '), sent, world: world ?? {} }))

describe('a verb', () => {
  it.each(CASES)('sends what was typed: $typed', async ({ words, sent, world }) => {
    const ran = await run(words, world)
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' })
    expect(ran.requests).toEqual([{ body: undefined, ...sent }])
  })

  it.each(CASES)('prints exactly the answer as one line of JSON: $typed --json', async ({ words, world }) => {
    const ran = await run([...words, '--json'], world)
    const printed: unknown = JSON.parse(ran.stdout)
    expect(Object.values(ANSWERS)).toContainEqual(printed)
    expect(ran.stdout).toMatch(/^[^\n]+\n$/)
  })

  it.each(CASES)('shows no secret: $typed', async ({ words, world }) => {
    const ran = await run(words, world)
    expect(ran.stdout.trim()).not.toBe('')
    expect(ran.stdout + ran.stderr).not.toContain('sk-live')
  })
})

describe('key create', () => {
  it('prints the key once for people and in the answer of the API', async () => {
    const shown = await run(['key', 'create', 'laptop', '--package', 'team'])
    expect(shown.stdout.match(/key_0123456789/g)).toHaveLength(1)
    const json = await run(['key', 'create', 'laptop', '--package', 'team', '--json'])
    expect(JSON.parse(json.stdout)).toEqual({ id: 'key-id', name: 'laptop', key: 'key_0123456789', expires_at: null })
  })
})

describe('package edit', () => {
  it('sends the limits that stay along with those that change', async () => {
    const ran = await run(['package', 'edit', 'team', '--concurrent-requests', '4', '--requests-per-minute', 'none'])
    expect(ran.exitCode).toBe(0)
    expect(ran.requests.at(-1)).toEqual({
      method: 'PATCH',
      path: '/api/packages/team',
      body: { limits: { tokens_per_minute: 200_000, concurrent_requests: 4 } },
    })
  })

  it('can lift the last limit', async () => {
    const gateway = fakeGateway(({ path, method }) => {
      const [team] = ANSWERS.listPackages
      const limits = { requests_per_minute: 60, tokens_per_minute: null, concurrent_requests: null }
      return method === 'GET' && path === '/api/packages' ? { status: 200, body: [{ ...team, limits }] } : undefined
    })
    const ran = await run(['package', 'edit', 'k-1', '--requests-per-minute', 'none'], { gateway })
    expect(ran.requests.at(-1)?.body).toEqual({ limits: {} })
  })

  it('refuses to change nothing', async () => {
    expect(await run(['package', 'edit', 'team'])).toMatchObject({ exitCode: 2, requests: [], store: [] })
  })
})

describe('provider test', () => {
  it('exits with 1 when the provider does not answer, and shows what it said without control characters', async () => {
    const message = 'refused\u001b[2J\r\nreally'
    const body = { ok: false, message, problem: 'connection_refused', advice: 'Start it.' }
    const gateway = fakeGateway(() => ({ status: 200, body }))
    const ran = await run(['provider', 'test', 'openai'], { gateway })
    expect(ran).toMatchObject({
      exitCode: 1,
      stdout: 'It does not work. refused\ufffd[2J\ufffd\ufffdreally Start it.\n',
    })
    expect(await run(['provider', 'test', 'openai', '--json'], { gateway })).toMatchObject({
      exitCode: 1,
      stdout: `${JSON.stringify(body)}\n`,
    })
  })
})

describe('bills check', () => {
  it('exits with 1 for a difference that is unexplained, and shows each with its cause and a call', async () => {
    const [money] = ANSWERS.checkBill.money.differences
    const differences = [{ ...money, causes: ['unexplained'] }]
    const body = { ...ANSWERS.checkBill, money: { ...ANSWERS.checkBill.money, differences }, unexplained: 1 }
    const gateway = fakeGateway(() => ({ status: 200, body }))
    const { exitCode, stdout } = await run(['bills', 'check', '/tmp/usage.csv', '--provider', 'openai'], { gateway })
    expect(exitCode).toBe(1)
    expect(stdout).toBe(
      [
        'openai, 2026-10-01 10:00 UTC to 2026-10-01 11:00 UTC',
        '',
        'Read as: OpenAI, usage (model as model). 3 of its 12 lines are about no model and are left out.',
        '',
        'Tokens: 3 times and models compared, 1 differences. Theirs less ours:',
        'TIME                  MODEL  IN  CACHED  WRITTEN  OUT  CAUSE            CALL',
        '2026-10-01 10:00 UTC  gpt     0       0        0    2  estimated by us  u-1 and 2 more',
        '',
        'Money: 2 days and models compared, 1 differences.',
        'TIME                  MODEL  OURS  THEIRS   OF TOKENS  CAUSE        CALL',
        '2026-10-01 10:00 UTC  -      1     1.5 USD  0          UNEXPLAINED  -',
        '',
        '1 differences are unexplained.',
        '',
      ].join('\n'),
    )
  })
})

describe('bills import --dry-run', () => {
  it('shows how each column is read, and keeps nothing', async () => {
    const gateway = fakeGateway()
    const words = ['bills', 'import', '/tmp/usage.csv', '--provider', 'openai', '--dry-run']
    const { stdout } = await run(words, { gateway })
    expect(stdout.split('\n').slice(0, 5)).toEqual([
      'Fields are apart by semicolons, decimals by a comma.',
      'COLUMN   READ AS   IN THE FIRST LINE',
      'model    model     gpt-4o',
      'user_id  not read  -',
      '',
    ])
    expect(stdout).toMatch(/Nothing was kept\.\n$/)
    expect(gateway.requests.map(({ body }) => body)).toEqual([{ provider: 'openai', file: '/tmp/usage.csv' }])
  })
})

describe('ledger verify', () => {
  it('exits with 1 and lists the problems when the ledger does not add up', async () => {
    const body = { ...ANSWERS.verifyLedger, ok: false, problems: ['Key laptop: 5 is stored, 4 is right.'] }
    const ran = await run(['ledger', 'verify'], { gateway: fakeGateway(() => ({ status: 200, body })) })
    expect(ran.exitCode).toBe(1)
    expect(ran.stdout).toContain('- Key laptop: 5 is stored, 4 is right.\n')
    expect(ran.stderr).toBe('')
  })
})

describe('a list', () => {
  it('is a table with a dash for what is unknown', async () => {
    const { stdout } = await run(['key', 'list'])
    expect(stdout).toBe(
      'NAME    ENDS IN  PACKAGE  OWNER  STATUS  REMAINING  USED  RESETS  AT THIS PACE                   REQUESTS  EXPIRES               LAST USED\n' +
        'laptop  a1B2     team     -      active       49.5   0.5  -       runs out 2027-03-04 00:00 UTC         7  2027-01-02 03:04 UTC  -\n',
    )
  })

  it('says in a sentence that there is nothing', async () => {
    const gateway = fakeGateway(() => ({ status: 200, body: [] }))
    expect((await run(['model', 'list'], { gateway })).stdout).toBe('There are no models yet.\n')
    expect((await run(['model', 'list', '--json'], { gateway })).stdout).toBe('[]\n')
  })

  it('shows names without what a terminal would obey', async () => {
    const [provider] = ANSWERS.listProviders
    const body = [{ ...provider, base_url: 'https://a/\u009b31m\u202e' }]
    const { stdout } = await run(['provider', 'list'], { gateway: fakeGateway(() => ({ status: 200, body })) })
    expect(stdout).toContain('https://a/\ufffd31m\ufffd')
  })
})

describe('apply', () => {
  const FILE = {
    'conf/farebox.yaml': 'models:\n  - { id: a, context_window: 1, targets: [{ provider: p, model: m }] }\n',
  }

  it('prints what changed', async () => {
    const { stdout } = await run(['apply', '-f', 'conf/farebox.yaml'], { files: FILE })
    expect(stdout).toBe(
      'create provider openai\nupdate model gpt-5.5 (price, targets)\nkeep package team\n2 of 3 changed.\n',
    )
  })

  it('says that nothing has to change', async () => {
    const gateway = fakeGateway(() => ({ status: 200, body: { dry_run: true, changes: [] } }))
    const { stdout } = await run(['apply', '-f', 'conf/farebox.yaml', '--dry-run'], { files: FILE, gateway })
    expect(stdout).toBe('Nothing to change.\n')
  })

  it('refuses a file with mistakes, naming every line, before anything is opened', async () => {
    const files = { 'farebox.yaml': 'models:\n  - id: a\n    contxt: 1\n' }
    const ran = await run(['apply', '-f', 'farebox.yaml'], { files })
    expect(ran).toMatchObject({ exitCode: 1, stdout: '', store: [], requests: [] })
    expect(ran.stderr.split('\n')).toEqual([
      'farebox: Nothing was changed. farebox.yaml has mistakes:',
      'farebox.yaml:2:5: models.0.context_window is required',
      'farebox.yaml:2:5: models.0.targets is required',
      'farebox.yaml:3:5: models.0.contxt is not a known field',
      '',
    ])
  })

  it('gives mistakes as data with --json', async () => {
    const ran = await run(['apply', '-f', 'farebox.yaml', '--json'], { files: { 'farebox.yaml': 'a: 1\n' } })
    expect(JSON.parse(ran.stderr)).toMatchObject({
      error: {
        type: 'document_error',
        file: 'farebox.yaml',
        mistakes: [{ line: 1, column: 1, field: 'a', message: 'is not a known field' }],
      },
    })
  })

  it.each(['models.0.targets.0.provider', 'document.models.0.targets.0.provider'])(
    'names the line when the gateway refuses %s',
    async (param) => {
      const gateway = fakeGateway(() => refusal(400, 'invalid_request_error', "There is no provider 'p'.", param))
      const ran = await run(['apply', '-f', 'conf/farebox.yaml'], { files: FILE, gateway })
      expect(ran.exitCode).toBe(1)
      expect(ran.stderr).toContain("conf/farebox.yaml:2:45: There is no provider 'p'.\n")
    },
  )

  it('shows no secret of a document, whether it is applied or refused', async () => {
    const text = 'providers:\n  - { name: a, dialect: demo, secret: { env: OPENAI_API_KEY } }\n'
    const files = { 'farebox.yaml': text }
    const done = await run(['apply', '-f', 'farebox.yaml'], { files, ...ENV })
    expect(done.requests[0]?.body).toMatchObject({ document: { providers: [{ secret: 'sk-live-1234' }] } })
    const gateway = fakeGateway(() => refusal(400, 'invalid_request_error', 'No.', 'providers.0.secret'))
    const refused = await run(['apply', '-f', 'farebox.yaml', '--json'], { files, gateway, ...ENV })
    expect(done.stdout + done.stderr + refused.stdout + refused.stderr).not.toContain('sk-live')
  })
})
