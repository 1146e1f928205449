import { describe, expect, it } from 'vitest'
import { describeSettings, readConfig, type Config } from '#config/config.ts'
import { SETTINGS, type Environment } from '#config/settings.ts'

type Given = { argv?: string[]; env?: Environment; platform?: NodeJS.Platform; homeDir?: string }

function read(given: Given = {}) {
  return readConfig({ argv: [], env: {}, platform: 'linux', homeDir: '/home/ada', ...given })
}

function configOf(given: Given = {}): Config {
  const result = read(given)
  if (result.type === 'mistake') throw new Error(result.message)
  return result.config
}

function mistakeOf(given: Given): string {
  const result = read(given)
  if (result.type === 'config') throw new Error('expected a mistake')
  return result.message
}

describe('the default configuration', () => {
  it('has a value for every setting', () => {
    expect(configOf()).toMatchObject({
      dataDir: '/home/ada/.local/share/farebox',
      port: 3273,
      configFile: undefined,
      headless: false,
      json: false,
      databaseDurable: 'journal',
      sharedLimits: 'parts',
      secrets: 'keychain',
      vaultKeyFile: undefined,
      vaultOldKeyFile: undefined,
      credentialsDir: undefined,
      rateLimitWait: false,
      upstreamConnectTimeoutMs: 10_000,
      upstreamFirstByteTimeoutMs: 300_000,
      upstreamSilenceTimeoutMs: 120_000,
      upstreamTotalTimeoutMs: 1_800_000,
      upstreamAttempts: 6,
      upstreamRetryDelayMs: 500,
      upstreamTrialsPerSecond: 2,
      holdWaitMs: 10_000,
      rateLimitWaitMs: 30_000,
      answerMemoryMs: 3_600_000,
      maxUploadMib: 128,
      shutdownNoticeMs: 0,
      shutdownGraceMs: 10_000,
      demo: true,
      log: 'text',
      logLevel: 'info',
      logRequests: false,
      metrics: false,
      metricsTokenFile: undefined,
      backupDir: undefined,
      backupEvery: 'daily',
      backupKeep: 7,
      balancesEvery: 'never',
      billsEvery: 'never',
      language: 'system',
      theme: 'system',
    })
  })

  it.each<[string, Given, string]>([
    ['XDG_DATA_HOME on Linux', { env: { XDG_DATA_HOME: '/data' } }, '/data/farebox'],
    [
      'the home folder when XDG_DATA_HOME is relative',
      { env: { XDG_DATA_HOME: 'data' } },
      '/home/ada/.local/share/farebox',
    ],
    [
      'Application Support on macOS',
      { platform: 'darwin', homeDir: '/Users/ada' },
      '/Users/ada/Library/Application Support/Farebox',
    ],
    [
      'APPDATA on Windows',
      { platform: 'win32', homeDir: 'C:\\Users\\ada', env: { APPDATA: 'D:\\Roaming' } },
      'D:\\Roaming\\Farebox',
    ],
    [
      'the roaming folder on Windows without APPDATA',
      { platform: 'win32', homeDir: 'C:\\Users\\ada' },
      'C:\\Users\\ada\\AppData\\Roaming\\Farebox',
    ],
  ])('keeps data in %s', (_, given, dataDir) => {
    expect(configOf(given).dataDir).toBe(dataDir)
  })

  it('keeps secrets in the shared database where it is named with a key, unless another place is', () => {
    const both = { FAREBOX_DATABASE_URL: 'postgres://farebox@db/farebox', FAREBOX_VAULT_KEY_FILE: '/key' }
    expect(configOf({ env: both }).secrets).toBe('database')
    expect(configOf({ env: { ...both, FAREBOX_SECRETS: 'vault' } }).secrets).toBe('vault')
    for (const name of Object.keys(both)) expect(configOf({ env: { ...both, [name]: '' } }).secrets).toBe('keychain')
  })

  it('refuses to keep data in the working folder when no home folder is known', () => {
    expect(mistakeOf({ homeDir: '' })).toContain('--data-dir')
    expect(configOf({ homeDir: '', argv: ['--data-dir', '/data'] }).dataDir).toBe('/data')
  })
})

describe('reading settings', () => {
  it('takes values after a space and after an equals sign, and switches alone', () => {
    const argv = ['--port', '0', '--data-dir=/data', '--headless', '--json', '--config', '/etc/farebox.yaml']
    const expected = { port: 0, dataDir: '/data', headless: true, json: true, configFile: '/etc/farebox.yaml' }
    expect(configOf({ argv })).toMatchObject(expected)
  })

  it('lets a flag win over the environment, and the last flag over the ones before', () => {
    const env = { FAREBOX_PORT: '1' }
    expect(configOf({ env }).port).toBe(1)
    expect(configOf({ env, argv: ['--port', '2', '--port', '3'] }).port).toBe(3)
  })

  it('makes relative paths absolute', () => {
    expect(configOf({ argv: ['--data-dir', 'data'] }).dataDir).toBe(`${process.cwd()}/data`)
  })

  it('treats an empty variable as absent', () => {
    expect(configOf({ env: { FAREBOX_PORT: '', FAREBOX_VAULT_KEY_FILE: '' } })).toEqual(configOf())
  })

  it('reads the variables of the contract and of time limits', () => {
    const env = { RATE_LIMIT_WAIT: 'true', FAREBOX_HOLD_WAIT_MS: '0', FAREBOX_UPSTREAM_TOTAL_TIMEOUT_MS: '86400000' }
    const expected = { rateLimitWait: true, holdWaitMs: 0, upstreamTotalTimeoutMs: 86_400_000 }
    expect(configOf({ env })).toMatchObject(expected)
  })
})

describe('mistakes', () => {
  it.each([
    ['an unknown flag', ['--prot', '1'], "'--prot' is not known here; the flags are --data-dir, --port"],
    ['a stray word', ['now'], "'now' is not known here"],
    ['a flag without its value', ['--port'], '--port needs a value.'],
    ['a flag followed by a flag', ['--data-dir', '--json'], '--data-dir needs a value.'],
    ['an empty value', ['--data-dir='], "--data-dir must be a path, but is ''."],
    ['a switch with a value', ['--json=yes'], '--json takes no value.'],
    ['a port that is no number', ['--port', 'http'], "--port must be a whole number from 0 to 65535, but is 'http'."],
    ['a port that is too large', ['--port', '65536'], 'from 0 to 65535'],
    ['a port that is not whole', ['--port', '1e3'], 'from 0 to 65535'],
    ['a negative port', ['--port', '-1'], 'from 0 to 65535'],
  ])('names %s', (_, argv, message) => {
    expect(mistakeOf({ argv })).toContain(message)
  })

  it.each([
    ['FAREBOX_SECRETS', 'plain', "FAREBOX_SECRETS must be one of keychain, vault, database, but is 'plain'."],
    ['RATE_LIMIT_WAIT', 'yes', "RATE_LIMIT_WAIT must be true or false, but is 'yes'."],
    ['FAREBOX_UPSTREAM_CONNECT_TIMEOUT_MS', '0', 'must be a whole number from 1 to 86400000'],
    ['FAREBOX_SHUTDOWN_GRACE_MS', '86400001', 'must be a whole number from 0 to 86400000'],
  ])('names a bad value of %s', (variable, text, message) => {
    expect(mistakeOf({ env: { [variable]: text } })).toContain(message)
  })

  it('does not repeat what follows an unknown flag', () => {
    expect(mistakeOf({ argv: ['--secret=sk-1234'] })).not.toContain('sk-1234')
  })
})

describe('the table of settings', () => {
  const rows = Object.values(SETTINGS)

  it('gives every setting a meaning and a way to set it', () => {
    for (const row of rows) {
      expect(row.meaning).toMatch(/^[A-Z].*\.$/)
      expect(row.env ?? row.flag).toBeDefined()
    }
  })

  it('names variables and flags uniformly, and each once', () => {
    const variables = rows.flatMap((row) => (row.env === undefined ? [] : [row.env]))
    const flags = rows.flatMap((row) => (row.flag === undefined ? [] : [row.flag]))
    for (const variable of variables)
      expect(variable).toMatch(/^(FAREBOX_[A-Z_]+|RATE_LIMIT_WAIT|CREDENTIALS_DIRECTORY|OTEL_EXPORTER_OTLP_ENDPOINT)$/)
    for (const flag of flags) expect(flag).toMatch(/^--[a-z-]+$/)
    expect(new Set([...variables, ...flags]).size).toBe(variables.length + flags.length)
  })
})

describe('the settings as they are shown', () => {
  it('have their value, where it came from, and how to give another', () => {
    const shown = describeSettings(configOf({ argv: ['--port', '0'], env: { FAREBOX_HOLD_WAIT_MS: '7' } }))
    const find = (name: string) => shown.find((setting) => setting.name === name)
    expect(find('port')).toMatchObject({ value: '0', source: 'flag', env: 'FAREBOX_PORT', flag: '--port' })
    expect(find('hold_wait_ms')).toMatchObject({ value: '7', source: 'environment', flag: undefined })
    expect(find('upstream_attempts')).toMatchObject({ value: '6', source: 'default' })
    expect(find('vault_key_file')).toMatchObject({ value: undefined, source: 'default' })
    expect(shown.filter(({ meaning }) => meaning === '')).toEqual([])
  })

  it('have of an address nothing that signs in there', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collie:hunter2@collector.example/otlp' }
    const shown = JSON.stringify(describeSettings(configOf({ env })))
    expect(shown).toContain('https://••••••@collector.example/otlp')
    expect(shown).not.toMatch(/collie|hunter2/)
  })
})
