// Connecting and disconnecting as people meet it: keys, models, what is refused, what is left alone, and what is written where.

import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { listTools } from '#connect/list.ts'
import { connectedTools, connectTool, disconnectTool, launchTool } from '#connect/tools.ts'
import {
  closeWorkshops,
  fakeGateway,
  LARGE,
  OTHER,
  openWorkshop,
  packageView,
  SMALL,
  wish,
  write,
  type TestWorkshop,
} from './workshop.ts'

afterEach(closeWorkshops)

function settings({ home }: TestWorkshop, text: string): string {
  return write(join(home, '.claude', 'settings.json'), text)
}

function connection({ dataDir }: TestWorkshop, file: string): string {
  return join(dataDir, 'connections', 'claude-code', file)
}

type Settings = { readonly apiKeyHelper?: string; readonly env?: Readonly<Record<string, string>> }

function read(path: string): Settings {
  return JSON.parse(readFileSync(path, 'utf8')) as Settings
}

describe('a preview', () => {
  it('writes nothing, makes no key, and shows what would change', async () => {
    const workshop = openWorkshop()
    const path = settings(workshop, '{\n  "env": {"MY_API_KEY": "sk-very-secret-thing", "X": "1"}\n}\n')
    const { changes, key_name: name, next } = await connectTool(workshop, wish('claude-code', { isDryRun: true }))
    expect(readFileSync(path, 'utf8')).toBe('{\n  "env": {"MY_API_KEY": "sk-very-secret-thing", "X": "1"}\n}\n')
    expect(workshop.gateway.asked).toEqual([])
    expect(existsSync(workshop.dataDir)).toBe(false)
    expect(name).toBe('claude-code')
    expect(next).not.toEqual([])
    expect(changes).toHaveLength(1)
    expect(changes[0]?.diff).toContain('+  "apiKeyHelper": "cat ')
    expect(changes[0]?.diff).not.toContain('very-secret')
  })
})

describe('a key of its own', () => {
  it('is made once, named after the tool, and lies in a file that nobody else reads', async () => {
    const workshop = openWorkshop()
    const path = settings(workshop, '{}\n')
    await connectTool(workshop, wish('claude-code'))
    await connectTool(workshop, wish('claude-code', { models: { model: OTHER.id } }))
    expect(workshop.gateway.asked).toEqual(['create claude-code in team'])
    expect(read(path).apiKeyHelper).toBe(`cat '${connection(workshop, 'key')}'`)
    expect(readFileSync(connection(workshop, 'key'), 'utf8')).toBe('fbx_value1Zq8')
    expect(statSync(connection(workshop, 'key')).mode & 0o777).toBe(0o600)
    expect(read(path).env).toMatchObject({ ANTHROPIC_MODEL: OTHER.id })
  })

  it('rests while the tool is disconnected, and comes back with another value', async () => {
    const workshop = openWorkshop()
    settings(workshop, '{}\n')
    await connectTool(workshop, wish('claude-code'))
    await disconnectTool(workshop, 'claude-code')
    expect(existsSync(connection(workshop, 'key'))).toBe(false)
    await connectTool(workshop, wish('claude-code'))
    expect(workshop.gateway.asked).toEqual(['create claude-code in team', 'suspend k-1', 'rotate k-1', 'resume k-1'])
    expect(readFileSync(connection(workshop, 'key'), 'utf8')).toBe('fbx_value2Zq8')
  })

  it('is not one that somebody made under that name', async () => {
    const workshop = openWorkshop()
    await workshop.gateway.createKey({ name: 'claude-code', package: 'team', tool: 'curl' })
    settings(workshop, '{}\n')
    expect((await connectTool(workshop, wish('claude-code'))).key_name).toBe('claude-code-2')
    const again = connectTool(workshop, wish('opencode', { key: { name: 'claude-code' } }))
    await expect(again).rejects.toMatchObject({ reason: 'taken' })
  })

  it('is in the package that was asked for', async () => {
    const workshop = openWorkshop({
      gateway: fakeGateway([LARGE, SMALL], [packageView('team'), packageView('lab', [SMALL.id])]),
    })
    const path = settings(workshop, '{}\n')
    await connectTool(workshop, wish('claude-code', { key: { package: 'lab' } }))
    expect(workshop.gateway.asked).toEqual(['create claude-code in lab'])
    expect(read(path).env).toMatchObject({ ANTHROPIC_MODEL: SMALL.id })
    const none = connectTool(workshop, wish('claude-code', { key: { package: 'nobody' } }))
    await expect(none).rejects.toMatchObject({ reason: 'missing' })
  })

  it('whose making was interrupted is found again by its name', async () => {
    const gateway = fakeGateway()
    const workshop = openWorkshop({ gateway })
    settings(workshop, '{}\n')
    const broken = {
      ...workshop,
      gateway: {
        ...gateway,
        createKey: async (wanted: Parameters<typeof gateway.createKey>[0]) => {
          await gateway.createKey(wanted)
          throw new Error('no answer')
        },
      },
    }
    await expect(connectTool(broken, wish('claude-code'))).rejects.toThrow('no answer')
    expect((await connectTool(workshop, wish('claude-code'))).key_name).toBe('claude-code')
    expect(gateway.asked).toEqual(['create claude-code in team', 'rotate k-1'])
  })
})

describe('models', () => {
  it('are the dearest for the work and the cheapest for the rest', async () => {
    const workshop = openWorkshop()
    const path = settings(workshop, '{}\n')
    await connectTool(workshop, wish('claude-code'))
    expect(read(path).env).toMatchObject({
      ANTHROPIC_MODEL: LARGE.id,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: SMALL.id,
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: '272000',
    })
  })

  it('are those that were asked for, if they are there', async () => {
    const workshop = openWorkshop()
    const path = settings(workshop, '{}\n')
    await connectTool(workshop, wish('claude-code', { models: { model: SMALL.id, small: OTHER.id } }))
    expect(read(path).env).toMatchObject({ ANTHROPIC_MODEL: SMALL.id, ANTHROPIC_DEFAULT_HAIKU_MODEL: OTHER.id })
    const none = connectTool(workshop, wish('claude-code', { models: { model: 'gpt-9' } }))
    await expect(none).rejects.toMatchObject({ reason: 'missing' })
  })
})

describe('what wins over the helper', () => {
  it("has the tool's key instead, and what it had afterwards", async () => {
    const workshop = openWorkshop()
    const text = '{"env": {"ANTHROPIC_AUTH_TOKEN": "sk-of-somebody-else"}}'
    const path = settings(workshop, text)
    const { changes } = await connectTool(workshop, wish('claude-code'))
    expect(read(path).env).toMatchObject({ ANTHROPIC_AUTH_TOKEN: 'fbx_value1Zq8' })
    expect(JSON.stringify(changes)).not.toMatch(/fbx_value|sk-of/)
    await disconnectTool(workshop, 'claude-code')
    expect(readFileSync(path, 'utf8')).toBe(text)
  })
})

describe('the journal', () => {
  it('names every file and member, holds no secret, and is closed to others like the copies beside it', async () => {
    const workshop = openWorkshop()
    const path = settings(workshop, '{"env": {"ANTHROPIC_AUTH_TOKEN": "sk-of-somebody-else"}}')
    await connectTool(workshop, wish('claude-code'))
    const journal = readFileSync(connection(workshop, 'journal.json'), 'utf8')
    for (const named of [path, 'env.ANTHROPIC_BASE_URL', 'apiKeyHelper', '"connected"'])
      expect(journal).toContain(named)
    expect(journal).not.toMatch(/sk-of|fbx_value/)
    expect(readFileSync(connection(workshop, 'before-0'), 'utf8')).toContain('sk-of-somebody-else')
    for (const file of readdirSync(connection(workshop, '.'))) {
      expect(statSync(connection(workshop, file)).mode & 0o077, file).toBe(0)
    }
    expect(statSync(connection(workshop, '.')).mode & 0o077).toBe(0)
  })
})

describe('a disconnection', () => {
  it('leaves a member that somebody changed, says so, and takes the others back', async () => {
    const workshop = openWorkshop()
    const path = settings(workshop, '{\n  "theme": "dark"\n}\n')
    await connectTool(workshop, wish('claude-code'))
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace('http://127.0.0.1:3273', 'https://other.example').replace('dark', 'light'),
    )
    const { left, problems, next } = await disconnectTool(workshop, 'claude-code')
    expect(left).toEqual([`${path}: env.ANTHROPIC_BASE_URL`])
    expect(problems).toEqual([])
    expect(next[0]).toContain('changed by somebody')
    expect(read(path)).toEqual({ env: { ANTHROPIC_BASE_URL: 'https://other.example' }, theme: 'light' })
  })

  it('takes members out of a file that the tool wrote anew in its own way', async () => {
    const workshop = openWorkshop()
    const path = settings(workshop, '{\n  // mine\n  "theme": "dark", "env": {"A": "1"}\n}\n')
    await connectTool(workshop, wish('claude-code'))
    const says = JSON.parse(readFileSync(path, 'utf8').replace('// mine', '')) as Settings
    writeFileSync(path, JSON.stringify({ added: true, ...says }))
    await disconnectTool(workshop, 'claude-code')
    expect(read(path)).toEqual({ added: true, theme: 'dark', env: { A: '1' } })
  })

  it('does not take what a tool stamps on its own entry for a change of somebody', async () => {
    const workshop = openWorkshop()
    const text = '{\n  "version": 1,\n  "lastUsedProvider": "ollama",\n  "providers": {}\n}\n'
    const path = write(join(workshop.home, '.cline', 'data', 'settings', 'providers.json'), text)
    await connectTool(workshop, wish('cline'))
    writeFileSync(path, readFileSync(path, 'utf8').replace('2027-01-02T03:04:05.000Z', '2027-02-03T00:00:00.000Z'))
    expect((await disconnectTool(workshop, 'cline')).left).toEqual([])
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('keeps what somebody put into a file that was not there before', async () => {
    const workshop = openWorkshop()
    const path = join(workshop.home, '.claude', 'settings.json')
    await connectTool(workshop, wish('claude-code'))
    writeFileSync(path, readFileSync(path, 'utf8').replace('{', '{\n  "theme": "dark",'))
    await disconnectTool(workshop, 'claude-code')
    expect(read(path)).toEqual({ theme: 'dark' })
  })

  it('says which file it could not read, leaves it, and can be done again', async () => {
    const workshop = openWorkshop()
    const path = settings(workshop, '{}\n')
    await connectTool(workshop, wish('claude-code'))
    const written = readFileSync(path, 'utf8')
    writeFileSync(path, `${written}}`)
    const failed = await disconnectTool(workshop, 'claude-code')
    expect(failed.problems).toHaveLength(1)
    expect(readFileSync(path, 'utf8')).toBe(`${written}}`)
    expect(connectedTools(workshop.dataDir)).toEqual(['claude-code'])
    writeFileSync(path, written)
    expect((await disconnectTool(workshop, 'claude-code')).problems).toEqual([])
    expect(readFileSync(path, 'utf8')).toBe('{}\n')
    expect(connectedTools(workshop.dataDir)).toEqual([])
  })

  it('needs no gateway', async () => {
    const workshop = openWorkshop()
    const path = settings(workshop, '{}\n')
    await connectTool(workshop, wish('claude-code'))
    const gone = async () => Promise.reject(new Error('no gateway'))
    const done = await disconnectTool({ ...workshop, gateway: { ...workshop.gateway, keys: gone } }, 'claude-code')
    expect(done.problems).toEqual([])
    expect(done.next.join()).toContain('no gateway')
    expect(readFileSync(path, 'utf8')).toBe('{}\n')
  })

  it('does nothing twice', async () => {
    const workshop = openWorkshop()
    const path = settings(workshop, '{}\n')
    await connectTool(workshop, wish('claude-code'))
    await disconnectTool(workshop, 'claude-code')
    writeFileSync(path, '{"apiKeyHelper": "mine"}')
    expect((await disconnectTool(workshop, 'claude-code')).changes).toEqual([])
    expect(read(path)).toEqual({ apiKeyHelper: 'mine' })
  })
})

describe('a file', () => {
  const refusals: readonly (readonly [string, string, (path: string) => void])[] = [
    ['that cannot be parsed', 'unreadable', (path) => writeFileSync(path, '{"a": ')],
    ['that is no UTF-8', 'unreadable', (path) => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]))],
    ['that has another kind of value there', 'uneditable', (path) => writeFileSync(path, '{"env": "none"}')],
    ['that is too large', 'too_large', (path) => writeFileSync(path, `{}${' '.repeat(17 * 1_048_576)}`)],
    ['that is a folder', 'not_a_file', (path) => mkdirSync(path)],
    ['that nobody may write', 'read_only', (path) => (writeFileSync(path, '{}'), chmodSync(path, 0o400))],
    ['with a second name', 'foreign', (path) => (writeFileSync(path, '{}'), linkSync(path, `${path}.other`))],
  ]

  it.each(refusals)('%s is left alone', async (_, reason, make) => {
    const workshop = openWorkshop()
    const path = join(workshop.home, '.claude', 'settings.json')
    mkdirSync(dirname(path))
    make(path)
    const before = statSync(path)
    const refused = connectTool(workshop, wish('claude-code'))
    await expect(refused).rejects.toMatchObject({ reason })
    await expect(refused).rejects.toThrow(path)
    expect(statSync(path)).toMatchObject({ mtimeMs: before.mtimeMs, size: before.size, ino: before.ino })
    expect(workshop.gateway.asked).toEqual([])
  })

  it.runIf(process.getuid?.() === 0)('that belongs to somebody else is left alone', async () => {
    const workshop = openWorkshop()
    const path = settings(workshop, '{}\n')
    chownSync(path, 12_345, 12_345)
    await expect(connectTool(workshop, wish('claude-code'))).rejects.toMatchObject({ reason: 'foreign' })
    expect(readFileSync(path, 'utf8')).toBe('{}\n')
  })

  it('is taken back where the next one of the tool cannot be written', async () => {
    const workshop = openWorkshop()
    const env = write(join(workshop.home, '.gemini', '.env'), 'A=1\n')
    write(join(workshop.home, '.gemini', 'settings.json'), '{ no json')
    await expect(connectTool(workshop, wish('gemini-cli'))).rejects.toMatchObject({ reason: 'unreadable' })
    expect(readFileSync(env, 'utf8')).toBe('A=1\n')
  })

  it('is found by the variable of the tool', async () => {
    const workshop = openWorkshop()
    const elsewhere = join(workshop.home, 'elsewhere')
    const moved = { ...workshop, surroundings: { ...workshop.surroundings, env: { CLAUDE_CONFIG_DIR: elsewhere } } }
    await connectTool(moved, wish('claude-code'))
    expect(existsSync(join(elsewhere, 'settings.json'))).toBe(true)
    expect(existsSync(join(workshop.home, '.claude'))).toBe(false)
  })
})

describe('a launch', () => {
  it('says what the tool is started with, and writes to none of its files', async () => {
    const workshop = openWorkshop()
    const { command, env } = await launchTool(workshop, wish('claude-code'))
    expect(command).toEqual(['claude'])
    expect(env).toMatchObject({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:3273', ANTHROPIC_AUTH_TOKEN: 'fbx_value1Zq8' })
    expect(readdirSync(workshop.home)).toEqual([])
  })

  it('hands settings over as JSON where the tool takes them so', async () => {
    const { env } = await launchTool(openWorkshop(), wish('opencode'))
    const config = JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '') as Record<string, unknown>
    expect(config).toMatchObject({
      model: `farebox/${LARGE.id}`,
      provider: {
        farebox: { models: { [SMALL.id]: { name: SMALL.display_name, limit: { context: 128_000, output: 32_000 } } } },
      },
    })
  })

  it('says what to do with a tool that cannot be started so', async () => {
    await expect(launchTool(openWorkshop(), wish('vscode-chat'))).rejects.toThrow('farebox connect vscode-chat')
    await expect(connectTool(openWorkshop(), wish('copilot-cli'))).rejects.toThrow('farebox launch copilot-cli')
    await expect(connectTool(openWorkshop(), wish('cursor'))).rejects.toThrow('servers')
    await expect(connectTool(openWorkshop(), wish('no-tool'))).rejects.toMatchObject({ reason: 'missing' })
  })
})

describe('a tool that only its user can connect', () => {
  it('gets a key, and the lines for its pages with it', async () => {
    const workshop = openWorkshop()
    const { changes, next } = await connectTool(workshop, wish('jetbrains'))
    expect(changes).toEqual([])
    expect(next).toEqual([
      expect.stringContaining('AI Assistant'),
      'URL: http://127.0.0.1:3273/v1',
      'API key: fbx_value1Zq8',
      `Model: ${LARGE.id}`,
    ])
    expect(readdirSync(workshop.home)).toEqual([])
    expect(connectedTools(workshop.dataDir)).toEqual(['jetbrains'])
    await disconnectTool(workshop, 'jetbrains')
    expect(workshop.gateway.asked).toEqual(['create jetbrains in team', 'suspend k-1'])
    expect(connectedTools(workshop.dataDir)).toEqual([])
  })
})

describe('the list', () => {
  it('tells what is installed, what was written, and connected once a request came', async () => {
    const workshop = openWorkshop()
    const bin = join(workshop.home, 'bin')
    write(join(bin, 'claude'), '#!/bin/sh\necho 2.1.9 "(Claude Code)"\n')
    chmodSync(join(bin, 'claude'), 0o755)
    const here = {
      ...workshop,
      surroundings: { ...workshop.surroundings, env: { PATH: `${bin}:${process.env.PATH}` } },
    }
    const claude = async () => (await listTools(here)).find(({ tool }) => tool === 'claude-code')
    expect(await claude()).toEqual({
      tool: 'claude-code',
      name: 'Claude Code',
      installed: true,
      version: '2.1.9',
      connected: false,
      files: [],
      last_request_at: null,
      connected_at: null,
      state: 'none',
      key_name: null,
      package: null,
      written: [],
      ways: ['launch', 'connect'],
      impossible: null,
      versions: '2.1',
      page: 'https://code.claude.com/docs/en/llm-gateway-connect',
    })
    await connectTool(here, wish('claude-code'))
    const path = join(workshop.home, '.claude', 'settings.json')
    expect(await claude()).toMatchObject({ connected: false, files: [path] })
    workshop.gateway.used('claude-code', '2027-01-02T03:04:06.000Z')
    expect(await claude()).toMatchObject({
      connected: true,
      files: [path],
      last_request_at: '2027-01-02T03:04:06.000Z',
    })
    await disconnectTool(here, 'claude-code')
    expect(await claude()).toMatchObject({ connected: false, files: [] })
  })
})
