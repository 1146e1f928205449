import { afterEach, describe, expect, it, vi } from 'vitest'
import { installNotice } from '#shell/notices.ts'
import { ENGLISH } from './support.ts'
import { UpdateControl } from '#shell/update-control.ts'
import {
  isNewer,
  judge,
  mayLook,
  UpdateProblem,
  updatePolicy,
  type Build,
  type Looked,
  type Updater,
} from '#shell/updates.ts'

const SIGNED: Build = { isPackaged: true, isSigned: true, kind: 'appimage', version: '1.2.3' }
const offer = (version: string) => ({ type: 'offer', version, isChecked: true, hasPackage: true }) as const

describe('the order of versions', () => {
  it.each([
    ['1.2.4', '1.2.3'],
    ['1.10.0', '1.9.9'],
    ['2.0.0', '1.99.99'],
    ['1.2.3', '1.2.3-rc.1'],
    ['1.2.3-rc.10', '1.2.3-rc.9'],
    ['1.2.3-rc.1', '1.2.3-beta.9'],
    ['1.2.3-rc.1.1', '1.2.3-rc.1'],
    ['1.2.3-rc', '1.2.3-1'],
  ])('has %s behind %s, and never the other way round', (later, earlier) => {
    expect([isNewer(later, earlier), isNewer(earlier, later), isNewer(later, later)]).toEqual([true, false, false])
  })

  it.each(['', 'latest', '1.2', '1.2.3.4', 'v9.9.9', '9.9.9 ', '99999999999.0.0', '9.9.9-', '../9.9.9', '9.9.9\n'])(
    'has no place for %j',
    (text) => {
      expect(isNewer(text, '0.0.1')).toBe(false)
    },
  )
})

describe('the policy', () => {
  it.each<[Partial<Build>, string]>([
    [{}, 'self'],
    [{ kind: 'nsis' }, 'self'],
    [{ kind: 'dmg' }, 'self'],
    [{ isSigned: false }, 'tell'],
    [{ kind: 'deb' }, 'tell'],
    [{ kind: 'rpm' }, 'tell'],
    [{ kind: 'other' }, 'tell'],
    [{ isPackaged: false }, 'none'],
    [{ isPackaged: false, isSigned: true, kind: 'dmg' }, 'none'],
  ])('for %j is %s', (changes, type) => {
    expect(updatePolicy({ ...SIGNED, ...changes }).type).toBe(type)
  })

  it.each<[Looked, string]>([
    [{ type: 'nothing' }, 'current'],
    [{ type: 'foreign' }, 'failed'],
    [offer('1.2.3'), 'current'],
    [offer('1.2.2'), 'current'],
    [offer('1.2.3-rc.1'), 'current'],
    [offer('nonsense'), 'current'],
    [offer('1.2.4'), 'offered'],
  ])('makes of %j: %s', (looked, type) => {
    expect(judge(looked, SIGNED).type).toBe(type)
  })

  it.each<[string, Looked, Partial<Build>]>([
    ['that nobody checked', { ...offer('1.3.0'), isChecked: false }, {}],
    ['without a package for this system', { ...offer('1.3.0'), hasPackage: false }, {}],
    ['in an unsigned build', offer('1.3.0'), { isSigned: false }],
    ['in a deb', offer('1.3.0'), { kind: 'deb' }],
  ])('tells of an offer %s, and does not install it', (_name, looked, build) => {
    expect(judge(looked, { ...SIGNED, ...build })).toEqual({ type: 'offered', version: '1.3.0', canInstall: false })
  })

  it('looks when asked, and daily only where that was switched on', () => {
    const policy = updatePolicy(SIGNED)
    const nowMs = 10 * 86_400_000
    const times = { isDaily: true, lastLookMs: nowMs - 86_400_000, nowMs }
    expect(mayLook(policy, 'asked', { ...times, isDaily: false, lastLookMs: nowMs })).toBe(true)
    expect(mayLook(policy, 'timer', times)).toBe(true)
    expect(mayLook(policy, 'timer', { ...times, lastLookMs: undefined })).toBe(true)
    expect(mayLook(policy, 'timer', { ...times, lastLookMs: nowMs - 86_399_999 })).toBe(false)
    expect(mayLook(policy, 'timer', { ...times, isDaily: false })).toBe(false)
    expect(mayLook(policy, 'timer', { ...times, lastLookMs: nowMs + 1 })).toBe(true)
    expect(mayLook({ type: 'none', why: 'clone' }, 'asked', times)).toBe(false)
  })
})

describe('an update', () => {
  const controls: UpdateControl[] = []
  afterEach(() => controls.splice(0).forEach((control) => control.close()))

  function control(updater: Partial<Updater> | undefined, build: Partial<Build> = {}, isDaily = false) {
    const done: string[] = []
    const looks: number[] = []
    const whole: Updater = {
      look: async () => offer('1.3.0'),
      download: async () => void done.push('download'),
      install: () => new Promise<never>(() => done.push('install')),
      ...updater,
    }
    const made = new UpdateControl({
      build: { ...SIGNED, ...build },
      updater: updater === undefined ? undefined : whole,
      nowMs: () => 1000,
      isDaily: () => isDaily,
      lastLookMs: () => looks.at(-1),
      onLook: (atMs) => looks.push(atMs),
      onChange: () => undefined,
      onInstall: (version) => done.push(`begin ${version}`),
    })
    controls.push(made)
    return { made, done, looks }
  }

  it('goes a step at a time, each when asked', async () => {
    const { made, done } = control({})
    await made.look('asked')
    expect(made.state).toEqual({ type: 'offered', version: '1.3.0', canInstall: true })
    expect([done, made.installer()]).toEqual([[], undefined])
    await made.download()
    expect([made.state.type, done]).toEqual(['ready', ['download']])
    void made.installer()?.()
    expect(done).toEqual(['download', 'begin 1.3.0', 'install'])
  })

  it('is not looked for by the clock unless that was switched on, and then once a day', async () => {
    const off = control({})
    await off.made.look('timer')
    expect([off.looks, off.made.state.type]).toEqual([[], 'idle'])
    const on = control({}, {}, true)
    await on.made.look('timer')
    await on.made.look('timer')
    expect(on.looks).toEqual([1000])
  })

  it.each<[string, Partial<Build>]>([
    ['an unsigned build', { isSigned: false }],
    ['a deb', { kind: 'deb' }],
    ['an rpm', { kind: 'rpm' }],
  ])('of %s is told of, and never installed', async (_name, build) => {
    const { made, done } = control({}, build)
    await made.look('asked')
    expect(made.state).toEqual({ type: 'offered', version: '1.3.0', canInstall: false })
    await made.download()
    expect([made.installer(), done]).toEqual([undefined, []])
  })

  it('with a foreign signature, an older version or a broken download is never installed', async () => {
    const foreign = control({ look: async () => ({ type: 'foreign' }) })
    await foreign.made.look('asked')
    await foreign.made.download()
    expect([foreign.made.state.type, foreign.done, foreign.made.installer()]).toEqual(['failed', [], undefined])
    const older = control({ look: async () => offer('1.0.0') })
    await older.made.look('asked')
    await older.made.download()
    expect([older.made.state.type, older.done]).toEqual(['current', []])
    const broken = control({ download: () => Promise.reject(new Error('cut')) })
    await broken.made.look('asked')
    await broken.made.download()
    expect([broken.made.state.type, broken.made.installer()]).toEqual(['failed', undefined])
  })

  it('is not looked for in a clone, nor without anything that can look', async () => {
    for (const { made, looks } of [control({}, { isPackaged: false }), control(undefined)]) {
      await made.look('asked')
      expect([made.state.type, looks]).toEqual(['none', []])
    }
  })

  it('that cannot be looked for says so, and can be looked for again', async () => {
    const { made, looks } = control({ look: () => Promise.reject(new Error('secret address')) })
    await made.look('asked')
    expect(made.state).toEqual({ type: 'failed', message: 'The look for updates failed. Is there a connection?' })
    // A look without an answer is none, so that the daily one is not put off by it.
    expect(looks).toEqual([])
  })

  it('that could not be looked for by the clock changes nothing, and is looked for again within the hour', async () => {
    vi.useFakeTimers()
    let isOnline = false
    const look = async () => (isOnline ? offer('1.3.0') : Promise.reject(new Error('offline')))
    const { made, looks } = control({ look }, {}, true)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([made.state.type, looks]).toEqual(['idle', []])
    isOnline = true
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect([made.state.type, looks]).toEqual(['offered', [1000]])
    vi.useRealTimers()
  })

  it('is looked for a minute after a start, not only where Farebox runs for an hour', async () => {
    vi.useFakeTimers()
    const { looks } = control({}, {}, true)
    await vi.advanceTimersByTimeAsync(59_999)
    expect(looks).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(looks).toEqual([1000])
    vi.useRealTimers()
  })

  it('says the sentence of whoever could not download it, and of no other error', async () => {
    const told = control({ download: () => Promise.reject(new UpdateProblem('The folder cannot be written.')) })
    await told.made.look('asked')
    await told.made.download()
    expect(told.made.state).toEqual({ type: 'failed', message: 'The folder cannot be written.' })
    const other = control({ download: () => Promise.reject(new Error('https://secret.example/')) })
    await other.made.look('asked')
    await other.made.download()
    expect(JSON.stringify(other.made.state)).not.toContain('secret')
  })
})

describe('after an installation', () => {
  it('the next start says whether it worked, and nothing where none was begun', () => {
    expect(installNotice(undefined, '1.2.3', ENGLISH)).toBeUndefined()
    expect(installNotice('1.3.0', '1.3.0', ENGLISH)).toMatchObject({ title: 'Farebox is up to date' })
    expect(installNotice('1.3.0', '1.2.3', ENGLISH)?.text).toContain('Farebox 1.3.0 was not installed; 1.2.3 goes on.')
  })
})
