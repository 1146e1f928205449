import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { snippetsFor } from '#renderer/data/snippets.ts'
import { saveLines, shellFor, SYSTEMS, systemOf, wholeSystemLines } from '#renderer/data/trust.ts'

const PEM = `-----BEGIN CERTIFICATE-----\nMIIB+/aZ09==\nQUJD\n-----END CERTIFICATE-----\n`
const PLACE = { url: 'https://192.168.1.5:3273', model: 'demo-chat', key: 'key_abc', isPinned: true } as const

describe('the lines that save the certificate', () => {
  it('write it to the home folder as it is, in the shell that is there', () => {
    const home = mkdtempSync(join(tmpdir(), 'farebox-home-'))
    try {
      execFileSync('sh', ['-c', saveLines('linux', PEM)], { env: { PATH: process.env['PATH'] ?? '', HOME: home } })
      expect(readFileSync(join(home, 'farebox.pem'), 'utf8')).toBe(PEM)
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  })

  it.each(SYSTEMS)('hold nothing but certificates, whatever else stands in the file, on %s', (system) => {
    const odd = `$(touch /tmp/x)\nEND\n'@\n${PEM.replaceAll('\n', '\r\n')}; rm -rf ~\n${PEM}`
    expect(saveLines(system, odd)).toBe(saveLines(system, PEM + PEM))
    expect(saveLines(system, 'END\nrm -rf ~')).not.toContain('rm')
  })
})

it('knows the system of a browser, and has lines for each', () => {
  const agents = ['X11; Linux x86_64', 'Macintosh; Intel Mac OS X 10_15_7', 'Windows NT 10.0; Win64; x64']
  expect(agents.map(systemOf)).toEqual(SYSTEMS)
  expect(SYSTEMS.map(shellFor)).toEqual(['sh', 'sh', 'powershell'])
  expect(new Set(SYSTEMS.map(wholeSystemLines)).size).toBe(3)
})

describe('the lines for a tool', () => {
  it.each([
    ['curl', '--cacert "$HOME/farebox.pem"'],
    ['openai-python', 'export SSL_CERT_FILE="$HOME/farebox.pem"'],
    ['anthropic-python', 'export SSL_CERT_FILE="$HOME/farebox.pem"'],
    ['openai-js', 'export NODE_EXTRA_CA_CERTS="$HOME/farebox.pem"'],
    ['anthropic-js', 'export NODE_EXTRA_CA_CERTS="$HOME/farebox.pem"'],
    ['claude-code', 'export NODE_EXTRA_CA_CERTS="$HOME/farebox.pem"'],
    ['codex', 'export CODEX_CA_CERTIFICATE="$HOME/farebox.pem"'],
    ['opencode', 'export NODE_EXTRA_CA_CERTS="$HOME/farebox.pem"'],
  ])('have %s trust the saved certificate where that is asked for, and only there', (id, line) => {
    const codeOf = (isPinned: boolean) =>
      snippetsFor({ ...PLACE, isPinned, shell: 'sh' })
        .filter((snippet) => snippet.id === id)
        .flatMap(({ blocks }) => blocks.map(({ code }) => code))
        .join('\n')
    expect(codeOf(true)).toContain(line)
    expect(codeOf(false)).not.toContain('farebox.pem')
  })

  it('name it as PowerShell does on Windows', () => {
    const codes = snippetsFor({ ...PLACE, shell: 'powershell' }).flatMap(({ blocks }) => blocks.map(({ code }) => code))
    expect(codes.join('\n')).toContain('$env:NODE_EXTRA_CA_CERTS = "$HOME\\farebox.pem"')
    expect(codes.join('\n')).not.toContain('export ')
  })
})
