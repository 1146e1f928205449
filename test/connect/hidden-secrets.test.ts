// What a difference shows of a file that holds secrets of other things, which stand beside what changes.

import { describe, expect, it } from 'vitest'
import { withoutSecrets } from '#connect/hidden-secrets.ts'

const shown = (line: string) => withoutSecrets(` ${line}\n`, ['the-own-key'])

describe('a difference', () => {
  it.each([
    ['a short password', '"password": "s3cret"', 's3cret'],
    ['one of several words', '"password": "correct horse battery"', 'battery'],
    ['one with a comma', "api_key = 'abc,defghi'", 'defghi'],
    ['one with quotes in it', String.raw`"client_secret": "a\"bcd,efgh"`, 'efgh'],
    ['a variable to the end of its line', 'PASSWORD=correct horse battery', 'horse'],
    ['one that is exported', 'export DB_PASSWORD=pw1', 'pw1'],
    ['one of YAML', 'openai-api-key: not quoted at all # mine', 'quoted'],
    ['one in a list of YAML', '- token: abc', 'abc'],
    ['an address with a password', '"HTTPS_PROXY": "http://ada:hunter2@proxy.example:8080"', 'hunter2'],
    ['an address with a token', 'url = "https://ghx123456@git.example/a.git"', 'ghx123456'],
    ['an address with a user of a database', 'dsn: postgres://farebox:pw@db/x', 'pw@'],
    ['an option and its word', '"args": ["serve", "--api-key", "abc123", "--port", "1"]', 'abc123'],
    ['a header', '"Authorization": "token abc 123"', 'abc'],
    ['a web token', '"x": "eyJhbGciOiJIUzI1NiJ9"', 'eyJhbGciOiJIUzI1NiJ9'],
    ['a line of a key in PEM', 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj', 'MIIEvQ'],
    ['the key of the tool', '"x": "the-own-key"', 'the-own-key'],
  ])('hides %s', (_, line, secret) => {
    expect(shown(line)).not.toContain(secret)
    expect(shown(line)).toContain('••••••')
  })

  it('hides the word behind an option on the next line, unchanged or not', () => {
    for (const mark of [' ', '+', '-'])
      expect(withoutSecrets(`${mark}  "--token",\n${mark}  "abc123",\n`, [])).toBe(
        `${mark}  "--token",\n${mark}  "••••••",\n`,
      )
  })

  it.each([
    '"apiKeyHelper": "cat \'/home/ada/.local/share/farebox/connections/claude-code/key\'"',
    '"apiKey": "{file:/home/ada/key}"',
    '"apiKey": "!cat \'/home/ada/key\'"',
    'api_key = "${OPENAI_API_KEY}"',
    '"api_key": "$OPENAI_API_KEY"',
    '"token": ""',
    '"max_tokens": 8192,',
    '"ANTHROPIC_BASE_URL": "http://127.0.0.1:3273"',
    '"url": "https://host.example/path?at=1@2"',
    '"contextWindow": 200000',
    'model: farebox/gpt-5.5',
    '"keybindings": "vim"',
  ])('shows %s', (line) => {
    expect(shown(line)).toBe(` ${line}\n`)
  })

  it('is searched at once, however long a line is', () => {
    const startedAtMs = performance.now()
    for (const part of ['key', 'a', 'a-', 'a.b=', '"--token",', '"key": ', 'http://', '"\\'])
      withoutSecrets(` ${part.repeat(20_000)}\n`, [])
    expect(performance.now() - startedAtMs).toBeLessThan(5_000)
  })
})
