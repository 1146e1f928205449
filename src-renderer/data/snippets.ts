// Lines to paste that connect a tool or a program to Farebox. Names of models may hold quotes and dollar signs, so that every
// value is quoted for the language that it stands in.

import type { ToolGuide } from '#contract/tools.ts'

export type Shell = 'sh' | 'powershell'

export type SnippetPlace = {
  /** Where Farebox answers, without a path: `http://127.0.0.1:3273`. */
  readonly url: string
  readonly model: string
  /** The key's value where it is known, which it is only just after it was made; else a place for it is left. */
  readonly key?: string | undefined
  readonly shell: Shell
  /** The lines have the tool trust the certificate that lies in the home folder as `farebox.pem`. */
  readonly isPinned?: boolean
}

/** What the certificate to trust is called, in the home folder. */
export const CERTIFICATE_FILE = 'farebox.pem'

export type SnippetBlock = {
  /** The file that the lines belong in; undefined for the terminal. */
  readonly file: string | undefined
  readonly code: string
}

export type Snippet = {
  readonly id: string
  /** A proper name, the same in every language. */
  readonly name: string
  /** In the order in which they are used. */
  readonly blocks: readonly SnippetBlock[]
}

/** Stands where the key's value is not known any more. */
export const KEY_PLACE = 'YOUR_KEY'

const QUESTION = 'Say hello in five words.'

const TOOLS = [
  { id: 'curl', name: 'curl', blocks: curl },
  { id: 'openai-python', name: 'OpenAI SDK, Python', blocks: openaiPython },
  { id: 'openai-js', name: 'OpenAI SDK, JavaScript', blocks: openaiJs },
  { id: 'anthropic-python', name: 'Anthropic SDK, Python', blocks: anthropicPython },
  { id: 'anthropic-js', name: 'Anthropic SDK, JavaScript', blocks: anthropicJs },
  { id: 'claude-code', name: 'Claude Code', blocks: claudeCode },
  { id: 'codex', name: 'Codex', blocks: codex },
  { id: 'opencode', name: 'opencode', blocks: opencode },
] as const

export function snippetsFor(place: SnippetPlace): readonly Snippet[] {
  return TOOLS.map(({ id, name, blocks }) => ({ id, name, blocks: blocks(place) }))
}

/** The same for tools that the gateway has a guide for. Its texts have the place of the key in them. */
export function guidedSnippets(guides: readonly ToolGuide[], place: SnippetPlace): readonly Snippet[] {
  return guides.map(({ tool, name, files, launch, steps, certificate }) => ({
    id: tool,
    name,
    blocks: [
      ...files.map((file) => ({ file: file.place, code: withKey(file.text, place) })),
      ...(steps.length === 0 ? [] : [{ file: steps[0], code: withKey(steps.slice(1).join('\n'), place) }]),
      ...(launch === null ? [] : terminal(startLines(launch, certificate, place))),
    ],
  }))
}

function startLines(
  { command, env }: NonNullable<ToolGuide['launch']>,
  certificate: string | null,
  place: SnippetPlace,
): string[] {
  const values = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, withKey(value, place)]))
  const words = command.map((word) => (/^[\w-]+$/.test(word) ? word : quoted(word, place.shell)))
  return [
    ...(certificate === null ? [] : trusting(place, certificate)),
    ...setting(place.shell, values),
    words.join(' '),
  ]
}

function withKey(code: string, place: SnippetPlace): string {
  return code.replaceAll(KEY_PLACE, () => keyOf(place))
}

/** Windows has PowerShell in every terminal, the others have a POSIX shell. */
export function shellOf(userAgent: string): Shell {
  return userAgent.includes('Windows') ? 'powershell' : 'sh'
}

function curl(place: SnippetPlace): SnippetBlock[] {
  const body = JSON.stringify({ model: place.model, messages: [{ role: 'user', content: QUESTION }] })
  const url = `${place.url}/v1/chat/completions`
  const bearer = `Authorization: Bearer ${keyOf(place)}`
  if (place.shell === 'powershell') {
    // Older versions of PowerShell lose the double quotes of what they hand to curl.exe.
    const headers = `@{ Authorization = ${quoted(`Bearer ${keyOf(place)}`, 'powershell')} }`
    const call = `Invoke-RestMethod ${quoted(url, 'powershell')} -Method Post -Headers ${headers}`
    return terminal([
      // It asks Windows alone what to trust.
      ...(place.isPinned === true ? ['# First trust the certificate for the whole system.'] : []),
      `${call} -ContentType 'application/json' -Body ${quoted(body, 'powershell')} | ConvertTo-Json -Depth 9`,
    ])
  }
  return terminal([
    `curl ${quoted(url, 'sh')} \\`,
    ...(place.isPinned === true ? [`  --cacert ${certificatePath('sh')} \\`] : []),
    `  -H ${quoted(bearer, 'sh')} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(body, 'sh')}`,
  ])
}

function openaiPython(place: SnippetPlace): SnippetBlock[] {
  return program(place, { install: 'pip install openai', file: 'example.py', trusts: 'SSL_CERT_FILE' }, [
    'import os',
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url=${text(`${place.url}/v1`)}, api_key=os.environ["FAREBOX_KEY"])`,
    'answer = client.chat.completions.create(',
    `    model=${text(place.model)},`,
    `    messages=[{"role": "user", "content": ${text(QUESTION)}}],`,
    ')',
    'print(answer.choices[0].message.content)',
  ])
}

function openaiJs(place: SnippetPlace): SnippetBlock[] {
  return program(place, { install: 'npm install openai', file: 'example.mjs', trusts: 'NODE_EXTRA_CA_CERTS' }, [
    "import OpenAI from 'openai'",
    '',
    `const client = new OpenAI({ baseURL: ${text(`${place.url}/v1`)}, apiKey: process.env.FAREBOX_KEY })`,
    'const answer = await client.chat.completions.create({',
    `  model: ${text(place.model)},`,
    `  messages: [{ role: 'user', content: ${text(QUESTION)} }],`,
    '})',
    'console.log(answer.choices[0].message.content)',
  ])
}

function anthropicPython(place: SnippetPlace): SnippetBlock[] {
  return program(place, { install: 'pip install anthropic', file: 'example.py', trusts: 'SSL_CERT_FILE' }, [
    'import os',
    'from anthropic import Anthropic',
    '',
    `client = Anthropic(base_url=${text(place.url)}, api_key=os.environ["FAREBOX_KEY"])`,
    'answer = client.messages.create(',
    `    model=${text(place.model)},`,
    '    max_tokens=1024,',
    `    messages=[{"role": "user", "content": ${text(QUESTION)}}],`,
    ')',
    'print(answer.content[0].text)',
  ])
}

function anthropicJs(place: SnippetPlace): SnippetBlock[] {
  return program(
    place,
    { install: 'npm install @anthropic-ai/sdk', file: 'example.mjs', trusts: 'NODE_EXTRA_CA_CERTS' },
    [
      "import Anthropic from '@anthropic-ai/sdk'",
      '',
      `const client = new Anthropic({ baseURL: ${text(place.url)}, apiKey: process.env.FAREBOX_KEY })`,
      'const answer = await client.messages.create({',
      `  model: ${text(place.model)},`,
      '  max_tokens: 1024,',
      `  messages: [{ role: 'user', content: ${text(QUESTION)} }],`,
      '})',
      'console.log(answer.content[0].text)',
    ],
  )
}

function claudeCode(place: SnippetPlace): SnippetBlock[] {
  return terminal([
    ...trusting(place, 'NODE_EXTRA_CA_CERTS'),
    ...setting(place.shell, {
      ANTHROPIC_BASE_URL: place.url,
      ANTHROPIC_AUTH_TOKEN: keyOf(place),
      ANTHROPIC_MODEL: place.model,
      ANTHROPIC_SMALL_FAST_MODEL: place.model,
    }),
    'claude',
  ])
}

/** The file's own form of quotes is that of JSON. */
function codex(place: SnippetPlace): SnippetBlock[] {
  const lines = [
    `model = ${text(place.model)}`,
    'model_provider = "farebox"',
    '',
    '[model_providers.farebox]',
    'name = "Farebox"',
    `base_url = ${text(`${place.url}/v1`)}`,
    'env_key = "FAREBOX_KEY"',
    'wire_api = "responses"',
  ]
  return [
    { file: '~/.codex/config.toml', code: lines.join('\n') },
    ...terminal([...trusting(place, 'CODEX_CA_CERTIFICATE'), ...keySetting(place), 'codex']),
  ]
}

function opencode(place: SnippetPlace): SnippetBlock[] {
  const config = {
    $schema: 'https://opencode.ai/config.json',
    model: `farebox/${place.model}`,
    provider: {
      farebox: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Farebox',
        options: { baseURL: `${place.url}/v1`, apiKey: '{env:FAREBOX_KEY}' },
        models: { [place.model]: { name: place.model } },
      },
    },
  }
  return [
    { file: 'opencode.json', code: JSON.stringify(config, null, 2) },
    ...terminal([...trusting(place, 'NODE_EXTRA_CA_CERTS'), ...keySetting(place), 'opencode']),
  ]
}

type Program = { readonly install: string; readonly file: string; readonly trusts: string }

/** The key goes into the environment, so that it does not end up in a file that is shared. */
function program(place: SnippetPlace, { install, file, trusts }: Program, lines: readonly string[]): SnippetBlock[] {
  return [...terminal([install, ...trusting(place, trusts), ...keySetting(place)]), { file, code: lines.join('\n') }]
}

/** The variable that says where a certificate is. Python's replaces all other authorities, so that none of these is set for good. */
function trusting({ isPinned = false, shell }: SnippetPlace, variable: string): string[] {
  if (!isPinned) return []
  const path = certificatePath(shell)
  return [shell === 'powershell' ? `$env:${variable} = ${path}` : `export ${variable}=${path}`]
}

/** Both kinds of shell know the home folder by the same name. */
export function certificatePath(shell: Shell): string {
  return shell === 'powershell' ? `"$HOME\\${CERTIFICATE_FILE}"` : `"$HOME/${CERTIFICATE_FILE}"`
}

function terminal(lines: readonly string[]): SnippetBlock[] {
  return [{ file: undefined, code: lines.join('\n') }]
}

function keySetting(place: SnippetPlace): string[] {
  return setting(place.shell, { FAREBOX_KEY: keyOf(place) })
}

function setting(shell: Shell, values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) =>
    shell === 'powershell' ? `$env:${name} = ${quoted(value, shell)}` : `export ${name}=${quoted(value, shell)}`,
  )
}

function keyOf(place: SnippetPlace): string {
  return place.key ?? KEY_PLACE
}

/** In single quotes neither shell reads anything but the end of them; PowerShell takes typographic ones for that too. */
function quoted(value: string, shell: Shell): string {
  return `'${shell === 'powershell' ? value.replace(/['‘’‚‛]/g, '$&$&') : value.replaceAll("'", String.raw`'\''`)}'`
}

/** A text of JSON is one of Python, JavaScript and TOML too. */
function text(value: string): string {
  return JSON.stringify(value)
}
