// The real programs as somebody has them: with settings of their own, connected by `farebox connect`, one prompt with a tool that really
// runs, seen by the gateway, and disconnected. Nothing of the settings may differ afterwards.
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { farebox, temporaryFolder } from '../support/process.ts'
import { NO_NETWORK } from './alone.ts'
import { execute } from './execute.ts'
import type { ProgramName } from './install.ts'
import type { Gateway, Lab } from './lab.ts'
import type { Dialect } from './routes.ts'
import { expect, type Scenario } from './scenario.ts'
import { runsCommand, TOOL_ANSWER, TOOL_FILE } from './tool-script.ts'

type Connected = {
  readonly tool: string
  readonly program: ProgramName
  /** What its provider speaks. */
  readonly dialect: Dialect
  /** Its settings before, by their place below the home folder. */
  readonly settings: Readonly<Record<string, string>>
  readonly args: (prompt: string) => readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const MODEL = 'model-for-tests'
const LIMIT_MS = 120_000
/** A look at the list that begins so long after a request has come to the provider, or later, has to show it. */
const SEEN_MS = 2_000

/** Crush is not among them: what npm has of it fetches the program from GitHub. */
const TOOLS: readonly Connected[] = [
  {
    tool: 'claude-code',
    program: 'claude',
    dialect: 'messages',
    settings: { '.claude/settings.json': '{\r\n\t"env": { "EDITOR": "vim" }\r\n}\r\n' },
    args: (prompt) => ['-p', prompt, '--output-format', 'json', '--dangerously-skip-permissions'],
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', IS_SANDBOX: '1' },
  },
  {
    tool: 'codex',
    program: 'codex',
    dialect: 'responses',
    settings: {
      '.codex/farebox.config.toml': '# mine\napproval_policy = "never"\n\n[analytics]\nenabled = false # no\n',
    },
    args: (prompt) => [
      'exec',
      '--profile',
      'farebox',
      '--skip-git-repo-check',
      '--json',
      '-c',
      'sandbox_mode="danger-full-access"',
      prompt,
    ],
    env: {},
  },
  {
    tool: 'opencode',
    program: 'opencode',
    dialect: 'chat-completions',
    settings: {
      '.config/opencode/opencode.jsonc':
        '{\n  // mine\n  "$schema": "https://opencode.ai/config.json",\n  "share": "disabled",\n  "autoupdate": false,\n}\n',
    },
    args: (prompt) => ['run', '--format', 'json', '--title', 'test', prompt],
    env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
  },
  {
    tool: 'gemini-cli',
    program: 'gemini',
    dialect: 'gemini',
    settings: {
      '.gemini/.env': '# mine\nEDITOR=vim\n',
      '.gemini/settings.json': '{\n  "privacy": { "usageStatisticsEnabled": false }\n}\n',
    },
    args: (prompt) => ['-p', prompt, '--yolo', '--skip-trust'],
    env: {},
  },
  {
    tool: 'qwen-code',
    program: 'qwen',
    dialect: 'chat-completions',
    settings: { '.qwen/settings.json': '{\n  "privacy": { "usageStatisticsEnabled": false },\n  "$version": 4\n}\n' },
    args: (prompt) => ['-p', prompt, '--yolo'],
    env: {},
  },
  {
    tool: 'cline',
    program: 'cline',
    dialect: 'chat-completions',
    settings: {
      '.cline/data/settings/providers.json':
        '{\n  "version": 1,\n  "lastUsedProvider": "ollama",\n  "modes": {},\n  "providers": {}\n}\n',
    },
    args: (prompt) => ['--auto-approve', 'true', prompt],
    env: {},
  },
  {
    tool: 'kilo',
    program: 'kilo',
    dialect: 'chat-completions',
    settings: {
      // What it would write there by itself is there already.
      '.config/kilo/kilo.jsonc':
        '{\n  // mine\n  "$schema": "https://app.kilo.ai/config.json",\n  "autoupdate": false,\n  "permission": { "bash": "allow" },\n}\n',
    },
    args: (prompt) => ['run', '--auto', '--format', 'json', '--title', 'test', prompt],
    env: { KILO_DISABLE_MODELS_FETCH: '1', KILO_DISABLE_AUTOUPDATE: '1' },
  },
  {
    tool: 'pi',
    program: 'pi',
    dialect: 'chat-completions',
    settings: { '.pi/agent/models.json': '{\n  "providers": {}\n}\n' },
    args: (prompt) => ['-p', '--provider', 'farebox', '--model', MODEL, prompt],
    env: { PI_OFFLINE: '1' },
  },
]

export const connectScenarios: readonly Scenario[] = TOOLS.map((connected) => ({
  name: `${connected.program} / connected and disconnected`,
  run: (lab) => runConnected(lab, connected),
}))

async function runConnected(lab: Lab, connected: Connected): Promise<string> {
  lab.upstream.forget()
  lab.upstream.script(runsCommand)
  const gateway = await lab.gateway()
  await gateway.serve(MODEL, connected.dialect)
  const home = join(await temporaryFolder(), 'home')
  await writeSettings(home, connected)
  const made = await connect(gateway, home, connected)
  const work = join(home, 'work')
  await mkdir(work)
  const watching = new AbortController()
  const seen = untilSeen({ lab, gateway, home, tool: connected.tool, signal: watching.signal })
  const ended = await execute({
    command: lab.installed.command(connected.program),
    args: connected.args('Make a file.'),
    env: { ...surroundings(home), ...connected.env },
    folder: work,
    limitMs: LIMIT_MS,
  })
  const outcome = { ...ended, answer: ended.stdout, succeeded: ended.code === 0 }
  const limit = setTimeout(() => watching.abort(), SEEN_MS)
  const { seenMs, lateLooks } = await seen.finally(() => clearTimeout(limit))
  const byTool = await readFile(join(work, TOOL_FILE), 'utf8').catch(() => undefined)
  expect(byTool?.trim() === 'made', 'the tool made no file', outcome)
  expect(outcome.succeeded && ended.stdout.includes(TOOL_ANSWER), 'it did not give the answer', outcome)
  expect(seenMs !== undefined, 'it was not seen', outcome)
  expect(lateLooks === 0, `${lateLooks} looks did not show it ${SEEN_MS} ms after its first request`, outcome)
  const scanned = await scan(gateway, home, connected.tool)
  expect(scanned.calls > 0 && scanned.tokens > 0, 'its own logs say nothing of what it used', outcome)
  await command(gateway, home, ['disconnect', connected.tool])
  for (const [file, text] of Object.entries(connected.settings)) {
    const left = await readFile(join(home, file), 'utf8')
    expect(left === text, `${file} differs afterwards: ${JSON.stringify(left)}`, outcome)
  }
  for (const file of made) expect(!existsSync(file), `${file} is left afterwards`, outcome)
  return `seen ${seenMs} ms after its first request, ${scanned.calls} calls of ${scanned.tokens} tokens in its logs`
}

/** What the tool itself wrote down, of whichever model: some name it as they asked for it, and some as the answer did. */
async function scan(gateway: Gateway, home: string, tool: string) {
  const { rows } = (await command(gateway, home, ['scan'])) as {
    readonly rows: readonly Readonly<Record<string, string | number>>[]
  }
  const own = rows.filter((row) => row.tool === tool)
  const sum = (...names: readonly string[]) =>
    own.reduce((all, row) => all + names.reduce((some, name) => some + Number(row[name]), 0), 0)
  const tokens = sum('input_tokens', 'cache_read_tokens', 'cache_write_tokens', 'output_tokens')
  return { calls: sum('calls'), tokens }
}

/** The files that were not there before. */
async function connect(gateway: Gateway, home: string, { tool, settings }: Connected): Promise<readonly string[]> {
  const args = ['connect', tool, '--package', 'plenty', '--model', MODEL]
  const { changes } = (await command(gateway, home, args)) as { changes: readonly { readonly file: string }[] }
  const before = new Set(Object.keys(settings).map((file) => join(home, file)))
  return changes.map(({ file }) => file).filter((file) => !before.has(file))
}

async function writeSettings(home: string, { settings }: Connected): Promise<void> {
  for (const [file, text] of Object.entries(settings)) {
    await mkdir(dirname(join(home, file)), { recursive: true })
    await writeFile(join(home, file), text)
  }
}

function surroundings(home: string): Readonly<Record<string, string>> {
  const path = [process.execPath.replace(/[^/]+$/, ''), process.env.PATH ?? ''].join(':')
  return { PATH: path, HOME: home, SHELL: '/bin/sh', TERM: 'dumb', ...NO_NETWORK }
}

async function command(gateway: Gateway, home: string, args: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await farebox([...args, '--json'], { dataDir: gateway.dataDir, env: { HOME: home } })
  if (code !== 0) throw new Error(`farebox ${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

type Watching = {
  readonly lab: Lab
  readonly gateway: Gateway
  readonly home: string
  readonly tool: string
  readonly signal: AbortSignal
}

/**
 * Looks at `connect --list` while the tool runs, until it shows a request of the tool. How long that was after the first request came to
 * the provider, the look's own time included, and how many looks should have shown it and did not.
 */
async function untilSeen({ lab, gateway, home, tool, signal }: Watching) {
  let lateLooks = 0
  while (!signal.aborted) {
    const beganMs = Date.now()
    const tools = (await command(gateway, home, ['connect', '--list'])) as readonly {
      readonly tool: string
      readonly connected: boolean
      readonly last_request_at: string | null
    }[]
    const firstMs = lab.upstream.requests[0]?.receivedAtMs
    const listed = tools.find((one) => one.tool === tool)
    if (listed?.connected === true && listed.last_request_at !== null && firstMs !== undefined)
      return { seenMs: Date.now() - firstMs, lateLooks }
    if (firstMs !== undefined && beganMs >= firstMs + SEEN_MS) lateLooks++
  }
  return { seenMs: undefined, lateLooks }
}
