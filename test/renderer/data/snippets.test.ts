import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { ToolGuide } from '#contract/tools.ts'
import {
  guidedSnippets,
  KEY_PLACE,
  shellOf,
  snippetsFor,
  type Snippet,
  type SnippetPlace,
} from '#renderer/data/snippets.ts'

const PLACE = { url: 'http://127.0.0.1:3273', model: 'demo-chat', key: 'key_abc', shell: 'sh' } as const
/** Every sign that one of the languages would read as something of its own. */
const ODD_MODEL = 'it\'s/"$HOME"\\`id`#{x}%{y}'

describe('the snippets', () => {
  it('cover the tools and SDKs that people bring, each under a name of its own', () => {
    const names = snippetsFor(PLACE).map(({ name }) => name)
    expect(names).toEqual([
      'curl',
      'OpenAI SDK, Python',
      'OpenAI SDK, JavaScript',
      'Anthropic SDK, Python',
      'Anthropic SDK, JavaScript',
      'Claude Code',
      'Codex',
      'opencode',
    ])
  })

  it('hold the key once it is known, and a place for it otherwise', () => {
    for (const snippet of snippetsFor(PLACE)) expect(codeOf(snippet), snippet.id).toContain('key_abc')
    for (const snippet of snippetsFor({ ...PLACE, key: undefined })) {
      expect(codeOf(snippet), snippet.id).toContain(KEY_PLACE)
      expect(codeOf(snippet), snippet.id).not.toContain('undefined')
    }
  })

  it('never put the key into a file, which may be shared', () => {
    const files = snippetsFor(PLACE).flatMap(({ blocks }) => blocks.filter(({ file }) => file !== undefined))
    expect(files.length).toBeGreaterThan(0)
    for (const { code } of files) expect(code).not.toContain('key_abc')
  })

  it('give the address with /v1 to what speaks the formats of OpenAI, and without it to what speaks messages', () => {
    const isWithPath = (id: Snippet['id']) => codeOf(snippet(id, PLACE)).includes('http://127.0.0.1:3273/v1')
    expect((['openai-python', 'openai-js', 'codex', 'opencode'] as const).map(isWithPath)).toEqual(Array(4).fill(true))
    expect((['anthropic-python', 'anthropic-js', 'claude-code'] as const).map(isWithPath)).toEqual(Array(3).fill(false))
  })
})

describe('with a model whose name has quotes and dollar signs', () => {
  const odd = { ...PLACE, model: ODD_MODEL }

  it('a shell hands curl exactly the request that was meant', () => {
    const args = ran(`curl() { for a in "$@"; do printf '%s\\0' "$a"; done; }\n${codeOf(snippet('curl', odd))}`).split(
      '\0',
    )
    expect(args.slice(0, 3)).toEqual([
      'http://127.0.0.1:3273/v1/chat/completions',
      '-H',
      'Authorization: Bearer key_abc',
    ])
    expect(JSON.parse(args[6] ?? '')).toMatchObject({ model: ODD_MODEL })
  })

  it('a shell sets the variables of Claude Code to exactly these values', () => {
    const shown = ran(`claude() { printf '%s' "$ANTHROPIC_MODEL"; }\n${codeOf(snippet('claude-code', odd))}`)
    expect(shown).toBe(ODD_MODEL)
  })

  it('the file of opencode is JSON that names the model twice', () => {
    const [block] = snippet('opencode', odd).blocks
    expect(JSON.parse(block?.code ?? '')).toMatchObject({
      model: `farebox/${ODD_MODEL}`,
      provider: { farebox: { models: { [ODD_MODEL]: { name: ODD_MODEL } } } },
    })
  })

  it('Node reads the programs', () => {
    for (const id of ['openai-js', 'anthropic-js'] as const) {
      const code = snippet(id, odd).blocks.find(({ file }) => file === 'example.mjs')?.code ?? ''
      expect(() => execFileSync(process.execPath, ['--check', '--input-type=module'], { input: code })).not.toThrow()
    }
  })
})

describe('for PowerShell', () => {
  const place = { ...PLACE, key: "key_'x", shell: 'powershell' } as const

  it('quotes double the single quote, and no line is for another shell', () => {
    for (const one of snippetsFor(place)) {
      expect(codeOf(one), one.id).toContain("key_''x")
      expect(codeOf(one), one.id).not.toMatch(/^export | \\$/m)
    }
  })

  it('doubles the typographic quotes that PowerShell takes for the end of a text', () => {
    for (const quote of '‘’‚‛') {
      const code = codeOf(snippet('claude-code', { ...place, model: `m${quote}; calc.exe #` }))
      expect(code).toContain(`'m${quote}${quote}; calc.exe #'`)
    }
  })

  it('is what browsers on Windows are given', () => {
    expect(shellOf('Mozilla/5.0 (Windows NT 10.0; Win64; x64)')).toBe('powershell')
    expect(shellOf('Mozilla/5.0 (X11; Linux x86_64)')).toBe('sh')
  })
})

function snippet(id: Snippet['id'], place: SnippetPlace): Snippet {
  const found = snippetsFor(place).find((one) => one.id === id)
  if (found === undefined) throw new Error(`there is no snippet ${id}`)
  return found
}

function codeOf({ blocks }: Snippet): string {
  return blocks.map(({ code }) => code).join('\n')
}

function ran(script: string): string {
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })
}

describe('the lines of a guide', () => {
  const guide: ToolGuide = {
    tool: 'other',
    name: 'Other',
    certificate: 'NODE_EXTRA_CA_CERTS',
    files: [{ place: '~/.other/settings.json', text: '{"key": "YOUR_KEY"}' }],
    launch: { command: ['other', `it's $HOME`], env: { OTHER_KEY: 'YOUR_KEY', OTHER_ODD: `'$(id)'` } },
    steps: ['Settings, Models', 'Key: YOUR_KEY'],
  }

  it('are files, steps and what starts the tool, with the key in them once it is known', () => {
    const [snippet] = guidedSnippets([guide], { ...PLACE, key: 'key_$&', isPinned: true })
    expect(snippet?.blocks.map(({ file }) => file)).toEqual(['~/.other/settings.json', 'Settings, Models', undefined])
    expect(snippet?.blocks.map(({ code }) => code).slice(0, 2)).toEqual(['{"key": "key_$&"}', 'Key: key_$&'])
    expect(snippet?.blocks[2]?.code).toContain('export NODE_EXTRA_CA_CERTS="$HOME/farebox.pem"')
    const [unknown] = guidedSnippets([guide], { ...PLACE, key: undefined })
    expect(unknown?.blocks[0]?.code).toBe('{"key": "YOUR_KEY"}')
    expect(unknown?.blocks[2]?.code).not.toContain('NODE_EXTRA_CA_CERTS')
  })

  it('hand a shell exactly the variables and words that were meant', () => {
    const [snippet] = guidedSnippets([guide], PLACE)
    const code = snippet?.blocks[2]?.code ?? ''
    const script = `other() { printf '%s|' "$1" "$OTHER_KEY" "$OTHER_ODD"; }\n${code}`
    expect(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })).toBe(`it's $HOME|key_abc|'$(id)'|`)
  })
})
