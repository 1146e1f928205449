import { describe, expect, it } from 'vitest'
import { readConfig } from '#config/config.ts'
import type { Environment } from '#config/settings.ts'
import { LiveSettings } from '#config/live-settings.ts'

function live(env: Environment = {}, argv: string[] = []): LiveSettings {
  const read = readConfig({ argv, env, platform: 'linux', homeDir: '/home/ada' })
  if (read.type === 'mistake') throw new Error(read.message)
  return new LiveSettings(read.config)
}
const viewOf = (settings: LiveSettings, name: string) => settings.views().find((view) => view.name === name)

describe('a setting that can be changed', () => {
  it('holds for everybody who has the configuration, and can be set back', () => {
    const settings = live()
    const { config } = settings
    settings.apply({ name: 'rate_limit_wait', text: 'true' })
    settings.apply({ name: 'hold_wait_ms', text: '25' })
    expect(config).toMatchObject({ rateLimitWait: true, holdWaitMs: 25 })
    expect(viewOf(settings, 'hold_wait_ms')).toMatchObject({ value: '25', source: 'stored', isChangeable: true })
    settings.apply({ name: 'hold_wait_ms', text: undefined })
    expect(viewOf(settings, 'hold_wait_ms')).toMatchObject({ value: '10000', source: 'default', isChangeable: true })
  })

  it('leaves the configuration that it began with as it was', () => {
    const read = readConfig({ argv: [], env: {}, platform: 'linux', homeDir: '/home/ada' })
    if (read.type === 'mistake') throw new Error(read.message)
    new LiveSettings(read.config).apply({ name: 'backup_keep', text: '3' })
    expect(read.config).toMatchObject({ backupKeep: 7, sources: { backupKeep: 'default' } })
  })

  it.each([
    ['hold_wait_ms', '-1', /a whole number from 0/],
    ['hold_wait_ms', '86400001', /a whole number from 0/],
    ['upstream_silence_timeout_ms', '0', /a whole number from 1/],
    ['rate_limit_wait', 'yes', /true or false/],
    ['backup_every', 'yearly', /one of hourly, daily, weekly/],
    ['backup_keep', '1e3', /a whole number from 1 to 1000/],
    ['port', '80', /cannot be changed while Farebox runs/],
    ['backup_dir', '/tmp', /cannot be changed while Farebox runs/],
    ['sources', 'x', /cannot be changed while Farebox runs/],
    ['__proto__', 'x', /cannot be changed while Farebox runs/],
  ])('does not take %s = %s', (name, text, says) => {
    expect(live().problemOf({ name, text })?.message).toMatch(says)
  })
})

describe('a setting of the environment', () => {
  it('is fixed, and says by what', () => {
    const settings = live({ FAREBOX_HOLD_WAIT_MS: '7' })
    expect(settings.problemOf({ name: 'hold_wait_ms', text: '8' })?.message).toContain('FAREBOX_HOLD_WAIT_MS')
    expect(settings.problemOf({ name: 'hold_wait_ms', text: undefined })?.message).toContain('FAREBOX_HOLD_WAIT_MS')
    expect(viewOf(settings, 'hold_wait_ms')).toMatchObject({ value: '7', isChangeable: false })
  })

  it('goes before what was changed in an earlier process', () => {
    const settings = live({ FAREBOX_HOLD_WAIT_MS: '7' })
    settings.restore([
      { name: 'hold_wait_ms', text: '8' },
      { name: 'backup_keep', text: '9' },
    ])
    expect(settings.config).toMatchObject({ holdWaitMs: 7, backupKeep: 9 })
  })
})

it('passes over what an earlier or later version kept and this one does not take', () => {
  const settings = live()
  settings.restore([
    { name: 'of_tomorrow', text: '1' },
    { name: 'backup_keep', text: '0' },
    { name: 'rate_limit_wait_ms', text: '5' },
  ])
  expect(settings.config).toMatchObject({ backupKeep: 7, rateLimitWaitMs: 5 })
})
