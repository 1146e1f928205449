// Settings as nobody should have them: what cannot be edited stays as it is and is refused with what to do, and what can be is the same
// afterwards, also where the named member is elsewhere in a text or a comment.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { homeFolder } from '#config/home-folder.ts'
import { withMembers, withoutMembers, type Member } from '#connect/edit.ts'
import type { Format, Path } from '#connect/format.ts'
import { ENV_FORMAT } from '#connect/formats/env.ts'
import { JSON_FORMAT } from '#connect/formats/json.ts'
import { TOML_FORMAT } from '#connect/formats/toml.ts'
import { YAML_FORMAT } from '#connect/formats/yaml.ts'
import { connectTool, disconnectTool } from '#connect/tools.ts'
import { valueAt } from '#connect/values.ts'
import { closeWorkshops, openWorkshop, wish } from './workshop.ts'

afterEach(closeWorkshops)
afterEach(() => vi.unstubAllEnvs())

/** A sentence, and what to do. */
const ADVICE = /\. (Mend|Move|Take|Save|Write|Give|Set|Make) /

function settingsIn(home: string): string {
  const path = join(home, '.claude', 'settings.json')
  mkdirSync(dirname(path))
  return path
}

describe.runIf(process.platform === 'linux')('what is no file', () => {
  // A process that ends by itself removes its socket.
  const socket = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
  const made: readonly (readonly [string, (path: string) => void])[] = [
    ['a pipe', (path) => void execFileSync('mkfifo', [path])],
    ['a socket', (path) => void spawnSync(process.execPath, ['-e', socket, path])],
    ['a folder', (path) => mkdirSync(path)],
    ['a link to a device', (path) => symlinkSync('/dev/null', path)],
    ['a link to itself', (path) => symlinkSync(path, path)],
    ['a link in a circle', (path) => (symlinkSync('other', path), symlinkSync(path, join(dirname(path), 'other')))],
  ]

  it.each(made)('such as %s is refused at once, with what to do', async (_, make) => {
    const workshop = openWorkshop()
    const path = settingsIn(workshop.home)
    make(path)
    const { ino, mtimeMs } = lstatSync(path)
    const refused = connectTool(workshop, wish('claude-code'))
    await expect(refused).rejects.toMatchObject({ name: 'Refused', reason: 'not_a_file' })
    await expect(refused).rejects.toThrow(ADVICE)
    expect(lstatSync(path)).toMatchObject({ ino, mtimeMs })
    expect(workshop.gateway.asked).toEqual([])
  })
})

describe('a file that cannot be edited', () => {
  it.each([
    ['a list', '[1, 2]\n'],
    ['a text', '"text"\n'],
    ['null', 'null\n'],
    ['two documents', '{"a": 1}\n{"b": 2}\n'],
    ['with a list in the place of an object', '{"env": ["A"]}\n'],
    ['with a zero byte', '{"a": 1}\u0000'],
    ['with a comment that does not end', '{} /* why'],
    ['of another encoding', Buffer.from('\uFEFF{"a": 1}', 'utf16le')],
  ])('such as %s stays as it is, with what to do', async (_, content) => {
    const workshop = openWorkshop()
    const path = settingsIn(workshop.home)
    writeFileSync(path, content)
    await expect(connectTool(workshop, wish('claude-code'))).rejects.toThrow(ADVICE)
    expect(readFileSync(path).equals(Buffer.from(content))).toBe(true)
    expect(workshop.gateway.asked).toEqual([])
  })
})

describe('a file of odd content', () => {
  it.each([
    ['with null in the place of an object', '{"env": null}\n'],
    [
      'with the names in texts and comments',
      '{"a": "\\"env\\": {", /* "env": {"ANTHROPIC_BASE_URL": "x"} */ "b": 1}\n',
    ],
    ['with the name in escapes', '{"e\\u006ev": {"A": "1"}}\n'],
    ['with half a character', '{"a": "\\ud800"}\n'],
    ['with the line ends of old systems', '{\r"a": 1\r}\r'],
    ['with line ends of two kinds', '{\r\n"a": 1,\n"b": 2\r\n}\n'],
    ['with names of objects themselves', '{"__proto__": {"x": 1}, "constructor": 2, "toString": null}\n'],
    ['with numbers beyond what is exact', '{"n": 12345678901234567890, "e": 1e400, "z": -0.0}\n'],
  ])('%s is the same after both', async (_, content) => {
    const workshop = openWorkshop()
    const path = settingsIn(workshop.home)
    writeFileSync(path, content)
    await connectTool(workshop, wish('claude-code'))
    expect(readFileSync(path, 'utf8')).not.toBe(content)
    expect((await disconnectTool(workshop, 'claude-code')).problems).toEqual([])
    expect(readFileSync(path, 'utf8')).toBe(content)
  })

  it('behind a link out of the home folder changes there, and the link stays', async () => {
    const workshop = openWorkshop()
    const path = settingsIn(workshop.home)
    const outside = join(workshop.home, '..', 'outside.json')
    writeFileSync(outside, '{"a": 1}')
    symlinkSync(outside, path)
    await connectTool(workshop, wish('claude-code'))
    expect(readFileSync(outside, 'utf8')).toContain('127.0.0.1')
    await disconnectTool(workshop, 'claude-code')
    expect(readFileSync(outside, 'utf8')).toBe('{"a": 1}')
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
  })
})

describe('settings that somebody keeps elsewhere', () => {
  /** The folder of the tool is a link to one among others, and the file in it a link from there. */
  function linkedSettings(home: string, link: string): string {
    const dotfiles = join(home, '..', 'dotfiles')
    mkdirSync(join(dotfiles, 'claude'), { recursive: true })
    mkdirSync(join(dotfiles, 'shared'))
    symlinkSync(join(dotfiles, 'claude'), join(home, '.claude'))
    symlinkSync(link, join(home, '.claude', 'settings.json'))
    return join(dotfiles, 'shared', 'claude.json')
  }

  it('change where the links lead that are in a linked folder, and nowhere else', async () => {
    const workshop = openWorkshop()
    const real = linkedSettings(workshop.home, '../shared/claude.json')
    writeFileSync(real, '{"a": 1}\n')
    await connectTool(workshop, wish('claude-code'))
    expect(readFileSync(real, 'utf8')).toContain('cat ')
    expect(existsSync(join(workshop.home, 'shared'))).toBe(false)
    await disconnectTool(workshop, 'claude-code')
    expect(readFileSync(real, 'utf8')).toBe('{"a": 1}\n')
  })

  it('are made where such a link leads that leads nowhere yet', async () => {
    const workshop = openWorkshop()
    const real = linkedSettings(workshop.home, '../shared/claude.json')
    await connectTool(workshop, wish('claude-code'))
    expect(readFileSync(real, 'utf8')).toContain('cat ')
    await disconnectTool(workshop, 'claude-code')
    expect(existsSync(real)).toBe(false)
    expect(lstatSync(join(workshop.home, '.claude', 'settings.json')).isSymbolicLink()).toBe(true)
  })

  it('are found where the way itself goes up from a linked folder', async () => {
    const workshop = openWorkshop()
    const dotfiles = join(workshop.home, '..', 'dotfiles')
    const other = linkedSettings(workshop.home, 'deep/../claude.json')
    mkdirSync(join(dotfiles, 'shared', 'deep'))
    symlinkSync(join(dotfiles, 'shared', 'deep'), join(dotfiles, 'claude', 'deep'))
    writeFileSync(other, '{"a": 1}')
    await connectTool(workshop, wish('claude-code'))
    expect(readFileSync(other, 'utf8')).toContain('cat ')
    expect(existsSync(join(dotfiles, 'claude', 'claude.json'))).toBe(false)
  })
})

describe.runIf(process.platform === 'linux')('a home folder whose name a shell would read', () => {
  it.each(["o'brien", 'a "b" c', '$(touch made)', '`touch made`', '$HOME', 'Grüße 世界'])(
    'such as %s leads Crush to the file of Farebox, and that to the key',
    async (name) => {
      const workshop = openWorkshop({ name })
      await connectTool(workshop, wish('crush'))
      const folder = join(workshop.home, '.config', 'crush')
      const commands = `provider() { printf '%s\\n' "$@"; }; model() { :; }; . ./crushrc`
      const said = execFileSync('bash', ['-c', commands], { cwd: folder, encoding: 'utf8' })
      expect(said.split('\n')).toContain('fbx_value1Zq8')
      expect(readdirSync(folder).toSorted()).toEqual(['crushrc', 'farebox.crushrc'])
    },
  )
})

const provider: Path = ['model_providers', 'farebox', 'base_url']
const model: Path = ['model']

describe('a text', () => {
  const refused: readonly (readonly [string, Format, string, Path])[] = [
    ['TOML with a table inside a line', TOML_FORMAT, 'model_providers = { other = { name = "x" } }\n', provider],
    ['TOML with that table inside a line', TOML_FORMAT, '[model_providers]\nfarebox = { name = "x" }\n', provider],
    ['TOML with a list of tables', TOML_FORMAT, '[[model_providers]]\nname = "x"\n', provider],
    ['TOML with a name said twice', TOML_FORMAT, 'model = "a"\nmodel = "b"\n', model],
    ['YAML of two documents', YAML_FORMAT, 'a: 1\n---\nb: 2\n', model],
    ['YAML with tabs', YAML_FORMAT, 'a:\n\tb: 1\n', model],
    ['YAML that is a list', YAML_FORMAT, '- a\n- b\n', model],
    ['YAML with a list as a name', YAML_FORMAT, '? [a, b]\n: 1\nc: 2\n', model],
  ]

  it.each(refused)('%s is refused, with what to do', (_, format, text, path) => {
    expect(() => withMembers(format, text, [{ path, value: 'u' }])).toThrow(ADVICE)
  })

  const edited: readonly (readonly [string, Format, string, Path])[] = [
    [
      'TOML with it in a text',
      TOML_FORMAT,
      'a = """\nmodel = "no"\n[model_providers.farebox]\n"""\n# model = "no"\n',
      model,
    ],
    ['TOML with a dotted key', TOML_FORMAT, 'model_providers.farebox.name = "x"\n', provider],
    ['TOML with a dotted key in a table', TOML_FORMAT, '[model_providers]\nfarebox.name = "x"\n[z]\n', provider],
    ['TOML with it in quotes', TOML_FORMAT, '"model" = "a"\n', model],
    ['TOML that begins with a table', TOML_FORMAT, '[a]\nmodel = 1\n', model],
    ['TOML with a table below it', TOML_FORMAT, '[model_providers.farebox.http_headers]\na = "1"\n', provider],
    ['YAML with a merge', YAML_FORMAT, 'base: &b\n  model: x\n<<: *b\n', model],
    ['YAML with marks of a document', YAML_FORMAT, '%YAML 1.2\n---\na: 1\n...\n', model],
    ['YAML with it in a text', YAML_FORMAT, 'a: |\n  model: no\n  # model: no\nb: 1', model],
    ['YAML with a tag', YAML_FORMAT, 'a: !env X\nmodel: !secret y\n', model],
    ['YAML on one line', YAML_FORMAT, '{a: 1, b: [x, y]}\n', model],
    ['YAML that ends with kept lines', YAML_FORMAT, 'a: |+\n  x\n\n\n', model],
    ['JSON with it in a comment', JSON_FORMAT, '{// "model": "no"\n"x": "\\"model\\": 1"}', model],
    ['JSON with it said twice', JSON_FORMAT, '{"model": "a", "b": 1, "model": "c"}', model],
    ['variables with it in a text', ENV_FORMAT, 'A="x\nmodel=no\ny"\n', model],
    ['variables with it said twice', ENV_FORMAT, 'export model=a\nmodel=b # c\n', model],
  ]

  it.each(edited)('%s has its member, and is the same without it', (_, format, text, path) => {
    const members: readonly Member[] = [{ path, value: 'u' }]
    const after = withMembers(format, text, members)
    expect(valueAt(format.read(after), path)).toBe('u')
    expect(withoutMembers(format, { before: text, after, current: after }, members)).toEqual({ text, left: [] })
  })
})

describe('a text that has more in it than settings have', () => {
  it.each([
    ['TOML', TOML_FORMAT, 'a = 1\n'],
    ['YAML', YAML_FORMAT, '- a\n'],
    ['YAML on one line', YAML_FORMAT, 'a, '],
    ['JSON', JSON_FORMAT, '{}, {},'],
  ] as const)('is not handed to the parser of %s, with what to do', (_, format, line) => {
    const startedAtMs = performance.now()
    expect(() => format.read(line.repeat(200_000))).toThrow(ADVICE)
    expect(performance.now() - startedAtMs).toBeLessThan(2_000)
  })
})

describe('YAML that has nothing but the mark of a document', () => {
  it.each(['---\n', '---', '# mine\n---\n'])('such as %j is what it was, also where it changed meanwhile', (text) => {
    const members: readonly Member[] = [{ path: model, value: 'u' }]
    const after = withMembers(YAML_FORMAT, text, members)
    expect(valueAt(YAML_FORMAT.read(after), model)).toBe('u')
    const current = `# later\n${after}`
    const { text: undone, left } = withoutMembers(YAML_FORMAT, { before: text, after, current }, members)
    expect(left).toEqual([])
    expect(undone).toContain('# later\n')
    expect(YAML_FORMAT.read(undone)).toEqual({})
  })
})

describe('a place that is no whole path', () => {
  it('is refused where a variable of the tool says it: it would be a folder of wherever Farebox was started', async () => {
    const workshop = openWorkshop({ env: { CLAUDE_CONFIG_DIR: 'settings' } })
    const refused = connectTool(workshop, wish('claude-code'))
    await expect(refused).rejects.toMatchObject({ name: 'Refused', reason: 'not_a_file' })
    await expect(refused).rejects.toThrow(ADVICE)
    expect(workshop.gateway.asked).toEqual([])
  })

  it.each(['', '.', 'home'])('is no home folder: HOME=%j', (home) => {
    const real = homedir()
    vi.stubEnv('HOME', home)
    vi.stubEnv('USERPROFILE', home)
    expect(isAbsolute(homeFolder())).toBe(true)
    vi.stubEnv('HOME', real)
    vi.stubEnv('USERPROFILE', real)
    expect(homeFolder()).toBe(real)
  })
})
