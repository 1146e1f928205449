// Settings as people have them, by format: each is a file in which nothing of Farebox is yet.

import type { FormatName } from '#connect/plan.ts'

export type Sample = { readonly name: string; readonly text: string; readonly mode?: number; readonly isLink?: true }

const MEGABYTES = 5 * 1_048_576

const JSON_TEXT = `{
  // Written by hand.
  "$schema": "https://example.com/settings.json",
  "theme": "dark", /* not light */
  "permissions": { "allow": ["Bash(ls:*)", "Read"], "deny": [] },
  "hooks": {
    "Stop": [{ "matcher": "", "command": "say 'done'", }],
  },

  "windows": { "width": 1200 }
}
`

const YAML_TEXT = `# Written by hand.
name: My Config
version: 1.0.0
schema: v1

dark-mode: true   # not light
read:
  - CONVENTIONS.md
  - "docs/a file.md"
note: |
  Two lines
  of text.
rules: []
`

const TOML_TEXT = `# Written by hand.
approval = "on-request"   # always
notify = ["python3", "/home/me/notify.py"]

[projects."/home/me/work"]
trust_level = "trusted"

[mcp_servers.files]
command = 'C:\\tools\\files.exe'
args = [
  "--root", # where
  "/",
]

[[hooks]]
event = "stop"

[windows]
sandbox = { kind = "elevated", retry = 2 }
`

const ENV_TEXT = `# Written by hand.
GOOGLE_CLOUD_PROJECT=my-project
export EDITOR="vim -p"
PROMPT='line one
line two'
EMPTY=
  # not this: GEMINI_MODEL=old
`

const LINES_TEXT = `#!/usr/bin/env bash
# Written by hand.
provider add local --type openai-compat --base-url "http://127.0.0.1:8080/v1"
if [ -f ~/.work ]; then
	option set theme dark
fi
`

type Texts = {
  readonly text: string
  readonly duplicates: string
  readonly small: string
  readonly comment: (text: string) => string
  readonly unknown: string
  readonly names: string
}

const TEXTS: Readonly<Record<FormatName, Texts>> = {
  json: {
    text: JSON_TEXT,
    duplicates: '{ "theme": "dark", "env": {"A": "1"}, "theme": "light", "env": {"B": "2"} }\n',
    small: '{"theme":"dark"}',
    comment: (text) => `// ${text}\n`,
    unknown: '{\n  "x-future": {"deep": [{"er": null}, [1.50, 2e3]]},\n  "last": {}\n}',
    names: '{\n  "профиль": "имя ✓",\n  "路径": ["/家/我"]\n}\n',
  },
  yaml: {
    text: YAML_TEXT,
    duplicates: 'dark-mode: true\nname: one\ndark-mode: false\n',
    small: 'dark-mode: true',
    comment: (text) => `# ${text}\n`,
    unknown: 'x-future: {deep: [{er: ~}, [1.50]]}\nanchors: &a\n  b: 1\nuse: *a\n',
    names: 'профиль: имя ✓\n"路径":\n- /家/我\n',
  },
  toml: {
    text: TOML_TEXT,
    duplicates: '[[list]]\nname = "one"\n[[list]]\nname = "one"\n',
    small: 'approval = "never"',
    comment: (text) => `# ${text}\n`,
    unknown: '[x-future.deep]\ner = 1979-05-27T07:32:00Z\n"a b" = [1, [2.5]]\n[x-future]\n',
    names: '"профиль" = "имя ✓"\n["路径"]\nthere = "/家/我"\n',
  },
  env: {
    text: ENV_TEXT,
    duplicates: 'EDITOR=one\nEDITOR=two\n',
    small: 'EDITOR=vim',
    comment: (text) => `# ${text}\n`,
    unknown: 'not a variable\nX_FUTURE.y=1\n\n\n',
    names: 'PROFILE=имя ✓\nPFAD="/家/我"\n',
  },
  lines: {
    text: LINES_TEXT,
    duplicates: 'option set theme dark\noption set theme dark\n',
    small: 'option set theme dark',
    comment: (text) => `# ${text}\n`,
    unknown: 'future do --this\ncat <<END\nwords\nEND\n',
    names: 'option set profile "имя ✓"\n',
  },
}

/** `isList`: the file is a list, and has what else is a file as its only entry. */
export function samplesOf(format: FormatName, isList = false): readonly Sample[] {
  const { comment } = TEXTS[format]
  const whole = wholeOf(isList)
  const [text, duplicates, small, unknown, names] = [
    TEXTS[format].text,
    TEXTS[format].duplicates,
    TEXTS[format].small,
    TEXTS[format].unknown,
    TEXTS[format].names,
  ].map(whole) as [string, string, string, string, string]
  return [
    { name: 'with comments', text },
    { name: 'with the line ends of Windows', text: text.replaceAll('\n', '\r\n') },
    { name: 'with a byte order mark', text: `\uFEFF${text}` },
    { name: 'with tabs', text: format === 'yaml' ? text.replaceAll(' #', '\t#') : text.replaceAll('  ', '\t') },
    { name: 'with unknown sections', text: unknown },
    { name: 'with names said twice', text: duplicates },
    { name: 'empty', text: '' },
    { name: 'of nothing but a comment', text: comment('nothing yet') },
    { name: 'on one line', text: small },
    { name: 'behind a link', text, isLink: true },
    { name: 'that nobody else may read', text, mode: 0o600 },
    { name: 'with names beyond ASCII', text: names },
  ]
}

export function largeSampleOf(format: FormatName, isList = false): Sample {
  const { comment, text } = TEXTS[format]
  return { name: 'of 5 MB', text: `${comment('x'.repeat(1_000)).repeat(MEGABYTES / 1_004)}${wholeOf(isList)(text)}` }
}

function wholeOf(isList: boolean): (plain: string) => string {
  return (plain) => (isList ? `[\n${plain},\n]\n` : plain)
}
