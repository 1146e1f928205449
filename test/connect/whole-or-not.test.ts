// A connection is made as a whole or not at all: what is refused is refused before a key is made or a file is written, what fails later
// is put back as it was, and no difference that is shown has a secret in it.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { withMembers } from '#connect/edit.ts'
import { pathOf } from '#connect/expand.ts'
import { YAML_FORMAT } from '#connect/formats/yaml.ts'
import { renewKeyFile } from '#connect/key-file.ts'
import { listTools } from '#connect/list.ts'
import { connectTool, disconnectAll, disconnectTool, launchTool } from '#connect/tools.ts'
import { closeWorkshops, LARGE, OTHER, openWorkshop, wish, write, type TestWorkshop } from './workshop.ts'

afterEach(closeWorkshops)

const claudeSettings = ({ home }: TestWorkshop) => join(home, '.claude', 'settings.json')
const codeSettings = ({ home }: TestWorkshop) => join(home, '.config', 'Code', 'User', 'settings.json')
const keyFile = ({ dataDir }: TestWorkshop, tool = 'claude-code') => join(dataDir, 'connections', tool, 'key')

const OTHER_USER = 12_345
const TOOL_FILE = join(import.meta.dirname, '../../src-main/connect/tool-file.ts')

/** Why a user who may not do everything is refused what is done with a file. The sources may lie where that user reads nothing. */
function reasonForOthers(path: string, work: string): string {
  const code = `
    const { insistOnPlace, readToolFile, replaceToolFile } = await import(${JSON.stringify(TOOL_FILE)})
    process.setgroups([])
    process.setgid(${OTHER_USER})
    process.setuid(${OTHER_USER})
    const file = readToolFile(${JSON.stringify(path)})
    try { ${work} } catch (error) { process.stdout.write(String(error.reason)) }`
  const command = ['--input-type=module', '--eval', code]
  const { stdout, stderr } = spawnSync(process.execPath, command, { cwd: '/', encoding: 'utf8' })
  return stdout === '' ? stderr : stdout
}

describe('a place where no file can be made', () => {
  const places: readonly (readonly [string, string, (home: string) => void])[] = [
    ['behind a link to a folder that is not there', 'not_a_file', (home) => symlinkSync(join(home, 'x'), claude(home))],
    ['below a file', 'not_a_file', (home) => writeFileSync(claude(home), '')],
    ['behind a link to something below a file', 'not_a_file', linkBelowFile],
  ]
  const claude = (home: string) => join(home, '.claude')
  function linkBelowFile(home: string): void {
    writeFileSync(join(home, 'f'), '')
    mkdirSync(claude(home))
    symlinkSync(join(home, 'f', 'settings.json'), join(claude(home), 'settings.json'))
  }

  it.each(places)('%s is refused before a key is made', async (_, reason, make) => {
    const workshop = openWorkshop()
    make(workshop.home)
    const refused = connectTool(workshop, wish('claude-code'))
    await expect(refused).rejects.toMatchObject({ name: 'Refused', reason })
    await expect(refused).rejects.toThrow(claudeSettings(workshop))
    expect(workshop.gateway.asked).toEqual([])
    expect(existsSync(workshop.dataDir)).toBe(false)
  })

  it.runIf(process.getuid?.() === 0)('in a read-only folder is refused before a key is made', () => {
    const { home } = openWorkshop()
    for (const folder of [home, dirname(home)]) chmodSync(folder, 0o755)
    expect(reasonForOthers(join(home, 'settings.json'), 'insistOnPlace(file)')).toBe('read_only')
  })

  it.runIf(process.getuid?.() === 0)('with the group of the file that was there is refused', () => {
    const { home } = openWorkshop()
    chmodSync(dirname(home), 0o755)
    const path = write(join(home, 'settings.json'), '{}')
    chownSync(home, OTHER_USER, OTHER_USER)
    chownSync(path, OTHER_USER, 0)
    expect(reasonForOthers(path, "replaceToolFile(file, Buffer.from('{ }'))")).toBe('foreign')
    expect(readFileSync(path, 'utf8')).toBe('{}')
    expect(readdirSync(home)).toEqual(['settings.json'])
  })

  it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'though nothing told so before is refused when it is met, and the key that was made for it rests',
    async () => {
      const workshop = openWorkshop({ env: { CLAUDE_CONFIG_DIR: '/proc/farebox/settings' } })
      const refused = connectTool(workshop, wish('claude-code'))
      await expect(refused).rejects.toMatchObject({ name: 'Refused', reason: 'not_a_file' })
      expect(workshop.gateway.asked).toEqual(['create claude-code in team', 'suspend k-1'])
      expect(existsSync(keyFile(workshop))).toBe(false)
    },
  )
})

describe('a connection that is made again', () => {
  it('changes nothing where one of its files is refused', async () => {
    const workshop = openWorkshop()
    const env = write(join(workshop.home, '.gemini', '.env'), 'A=1\n')
    const settings = write(join(workshop.home, '.gemini', 'settings.json'), '{}\n')
    await connectTool(workshop, wish('gemini-cli'))
    const written = readFileSync(env, 'utf8')
    writeFileSync(settings, '{ no json')
    const again = connectTool(workshop, wish('gemini-cli', { models: { model: OTHER.id } }))
    await expect(again).rejects.toThrow(settings)
    expect(readFileSync(env, 'utf8')).toBe(written)
    expect(readFileSync(settings, 'utf8')).toBe('{ no json')
  })

  it('shows in its preview what would change from how it is now', async () => {
    const workshop = openWorkshop()
    const path = write(claudeSettings(workshop), '{}\n')
    await connectTool(workshop, wish('claude-code'))
    const same = await connectTool(workshop, wish('claude-code', { isDryRun: true }))
    expect(same.changes).toEqual([])
    const other = wish('claude-code', { models: { model: OTHER.id } })
    const before = readFileSync(path, 'utf8')
    const { changes } = await connectTool(workshop, { ...other, isDryRun: true })
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(changes[0]?.diff).toContain(`-    "ANTHROPIC_MODEL": "${LARGE.id}"`)
    expect(changes[0]?.diff).toContain(`+    "ANTHROPIC_MODEL": "${OTHER.id}"`)
    expect((await connectTool(workshop, { ...other, seen: changes })).changes).toEqual(changes)
    await disconnectTool(workshop, 'claude-code')
    expect(readFileSync(path, 'utf8')).toBe('{}\n')
  })

  it('with another key has the one before it rest', async () => {
    const workshop = openWorkshop()
    await connectTool(workshop, wish('claude-code'))
    await connectTool(workshop, wish('claude-code', { key: { name: 'new' } }))
    expect(workshop.gateway.made.map(({ name, status }) => [name, status])).toEqual([
      ['claude-code', 'suspended'],
      ['new', 'active'],
    ])
    await disconnectTool(workshop, 'claude-code')
    expect(workshop.gateway.made.map(({ status }) => status)).toEqual(['suspended', 'suspended'])
  })

  it('with another key that fails leaves the one before it in its place', async () => {
    const workshop = openWorkshop()
    const path = write(claudeSettings(workshop), '{}\n')
    await connectTool(workshop, wish('claude-code'))
    const createKey: typeof workshop.gateway.createKey = async (wanted) => {
      const made = await workshop.gateway.createKey(wanted)
      writeFileSync(path, '{ no json')
      return made
    }
    const broken = { ...workshop, gateway: { ...workshop.gateway, createKey } }
    await expect(connectTool(broken, wish('claude-code', { key: { name: 'new' } }))).rejects.toThrow(path)
    expect(workshop.gateway.made.map(({ status }) => status)).toEqual(['active', 'suspended'])
    expect(readFileSync(keyFile(workshop), 'utf8')).toBe('fbx_value1Zq8')
  })
})

describe('a launch of a tool that is connected', () => {
  it('has no other key than its connection', async () => {
    const workshop = openWorkshop()
    await connectTool(workshop, wish('claude-code'))
    const other = launchTool(workshop, wish('claude-code', { key: { name: 'other' } }))
    await expect(other).rejects.toMatchObject({ reason: 'taken' })
    expect(workshop.gateway.asked).toEqual(['create claude-code in team'])
    expect((await launchTool(workshop, wish('claude-code'))).env).toMatchObject({
      ANTHROPIC_AUTH_TOKEN: 'fbx_value1Zq8',
    })
  })
})

describe('a difference that is shown', () => {
  it("has neither the tool's key in it nor those of others", async () => {
    const secrets = [
      'Bearer opaque.text-of-mine',
      'Basic dXNlcjpwYXNzd29yZA==',
      'sk-ant-abcdefgh1234',
      'ghp_abcdefgh1234',
      'github_pat_abcdefgh1234',
      'xoxb-1234-abcdefgh',
      'AIzaSyAbcdefgh1234',
      'glpat-abcdefgh1234',
      'hf_abcdefgh1234',
      'gsk_abcdefgh1234',
      'xai-abcdefgh1234',
      `key_${'a1B2'.repeat(9)}Zz`,
    ]
    for (const secret of secrets) {
      const workshop = openWorkshop()
      write(codeSettings(workshop), `{\n  "args": ["${secret}"],\n  "plain": "task-runner"\n}\n`)
      const connected = await connectTool(workshop, wish('claude-code-vscode'))
      const disconnected = await disconnectTool(workshop, 'claude-code-vscode')
      const hidden = secret.replace(/^(Bearer|Basic) /, '')
      for (const { changes } of [connected, disconnected]) {
        expect(changes[0]?.diff).toContain('task-runner')
        expect(changes[0]?.diff).toContain('"args": ["')
        expect(changes[0]?.diff).not.toContain(hidden)
        expect(changes[0]?.diff).not.toContain('fbx_value1Zq8')
      }
    }
  })
})

describe('a difference between two connections', () => {
  it('has neither the old key in it nor the new one', async () => {
    const workshop = openWorkshop()
    await connectTool(workshop, wish('claude-code-vscode'))
    const other = wish('claude-code-vscode', { key: { name: 'new' } })
    const preview = await connectTool(workshop, { ...other, isDryRun: true })
    const { changes } = await connectTool(workshop, other)
    expect(changes[0]?.diff).toContain('••••••')
    expect(JSON.stringify([preview, changes])).not.toContain('fbx_value')
  })
})

describe('a file', () => {
  it('that repeats what is changed by an anchor is left alone', () => {
    const member = (path: readonly string[], value: unknown) => [{ path, value }]
    const edits = [
      ['model: &m gpt-4o\neditor-model: *m\n', member(['model'], 'a')],
      ['base: &b\n  model: gpt-4o\nother: *b\n', member(['base', 'model'], 'a')],
      ['base: &b\n  model: gpt-4o\nother: *b\n', member(['base', 'size'], 1)],
      ['list:\n  - x: &m gpt-4o\nother: *m\n', member(['list'], 'a')],
    ] as const
    for (const [text, members] of edits) {
      expect(() => withMembers(YAML_FORMAT, text, members), text).toThrow(/repeat/)
    }
    const beside = withMembers(YAML_FORMAT, 'model: &m gpt-4o\neditor-model: *m\n', member(['editor-model'], 'a'))
    expect(beside).toBe('model: &m gpt-4o\neditor-model: "a"\n')
  })

  it('that is nested too deep is left alone', async () => {
    const workshop = openWorkshop()
    const text = `{"a": ${'['.repeat(3_000)}${']'.repeat(3_000)}}`
    const path = write(claudeSettings(workshop), text)
    await expect(connectTool(workshop, wish('claude-code'))).rejects.toMatchObject({ reason: 'unreadable' })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('is found in a home folder with braces in its name', () => {
    const places = ['$TOOL_HOME/settings.{jsonc,json}', '~/.tool/settings.{jsonc,json}']
    const around = (env: Record<string, string>) => ({ home: '/home/h{x}y', env, platform: 'linux' as const })
    expect(pathOf(places, around({}))).toBe('/home/h{x}y/.tool/settings.json')
    expect(pathOf(['~/.tool/settings.json'], around({}))).toBe('/home/h{x}y/.tool/settings.json')
    expect(pathOf(places, around({ TOOL_HOME: '/opt/{a,b}' }))).toBe('/opt/{a,b}/settings.json')
  })

  it('with the key in it that others can read is named, with what to do about it', async () => {
    const workshop = openWorkshop()
    const path = write(codeSettings(workshop), '{}\n')
    chmodSync(path, 0o644)
    const advice = `${path} can be read by others: chmod 600 '${path}'`
    expect((await connectTool(workshop, wish('claude-code-vscode', { isDryRun: true }))).next).toContain(advice)
    expect((await connectTool(workshop, wish('claude-code-vscode'))).next).toContain(advice)
    chmodSync(path, 0o600)
    expect((await connectTool(workshop, wish('claude-code-vscode'))).next).not.toContain(advice)
  })

  it('with no key in it may be read by anybody', async () => {
    const workshop = openWorkshop()
    chmodSync(write(claudeSettings(workshop), '{}\n'), 0o644)
    expect((await connectTool(workshop, wish('claude-code'))).next.join()).not.toContain('chmod')
  })
})

describe('a disconnection', () => {
  it('names the file that is its problem', async () => {
    const workshop = openWorkshop()
    const path = write(claudeSettings(workshop), '{}\n')
    await connectTool(workshop, wish('claude-code'))
    writeFileSync(path, '{ no json')
    expect((await disconnectTool(workshop, 'claude-code')).problems[0]).toContain(path)
  })

  it('of all tools goes on where one of them fails', async () => {
    const workshop = openWorkshop()
    const path = write(codeSettings(workshop), '{}\n')
    await connectTool(workshop, wish('claude-code'))
    await connectTool(workshop, wish('claude-code-vscode'))
    rmSync(join(dirname(keyFile(workshop)), 'after-0'))
    const done = await disconnectAll(workshop)
    expect(done.map(({ tool, problems }) => [tool, problems.length])).toEqual([
      ['claude-code', 1],
      ['claude-code-vscode', 0],
    ])
    expect(readFileSync(path, 'utf8')).toBe('{}\n')
  })

  it('of all tools goes on beside journals that cannot be read, names them, and lists the others', async () => {
    const damaged = ['', '[]', '{"state": "connected"}', `${'['.repeat(200_000)}`, '{"state":"connected","files":[{}]}']
    for (const journal of damaged) {
      const workshop = openWorkshop()
      const path = write(codeSettings(workshop), '{}\n')
      await connectTool(workshop, wish('claude-code'))
      await connectTool(workshop, wish('claude-code-vscode'))
      const broken = join(dirname(keyFile(workshop)), 'journal.json')
      writeFileSync(broken, journal)
      const listed = await listTools(workshop)
      expect(listed.find(({ tool }) => tool === 'claude-code-vscode')?.files).toEqual([path])
      const done = await disconnectAll(workshop)
      expect(done.map(({ tool, problems }) => [tool, problems.length])).toEqual([
        ['claude-code', 1],
        ['claude-code-vscode', 0],
      ])
      expect(done[0]?.problems[0]).toContain(broken)
      expect(readFileSync(path, 'utf8')).toBe('{}\n')
    }
  })
})

describe('a record of a key that cannot be read', () => {
  it('keeps neither the list from being shown nor the key of another tool from being renewed', async () => {
    const workshop = openWorkshop()
    await connectTool(workshop, wish('claude-code'))
    await connectTool(workshop, wish('gemini-cli'))
    writeFileSync(join(dirname(keyFile(workshop)), 'key.json'), '{')
    expect((await listTools(workshop)).find(({ tool }) => tool === 'claude-code')?.connected).toBe(false)
    renewKeyFile(workshop.dataDir, 'k-2', 'fbx_newZq8')
    expect(readFileSync(keyFile(workshop, 'gemini-cli'), 'utf8')).toBe('fbx_newZq8')
  })
})
