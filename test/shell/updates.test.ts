import { afterEach, describe, expect, it } from 'vitest'
import { UpdateControl } from '#shell/update-control.ts'
import { isNewer, judge, mayLook, updatePolicy, type Build, type Offer, type Updater } from '#shell/updates.ts'

const SIGNED: Build = { isPackaged: true, isSigned: true, kind: 'appimage', version: '1.2.3' }

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

  it.each<[Offer | undefined, string]>([
    [undefined, 'current'],
    [{ version: '1.2.3', isSignatureValid: true }, 'current'],
    [{ version: '1.2.2', isSignatureValid: true }, 'current'],
    [{ version: '1.2.3-rc.1', isSignatureValid: true }, 'current'],
    [{ version: 'nonsense', isSignatureValid: true }, 'current'],
    [{ version: '1.2.4', isSignatureValid: false }, 'failed'],
    [{ version: '1.2.4', isSignatureValid: true }, 'offered'],
  ])('makes of the offer %j: %s', (offer, type) => {
    expect(judge(offer, SIGNED).type).toBe(type)
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
    expect(mayLook({ type: 'none', why: '' }, 'asked', times)).toBe(false)
  })
})

describe('an update', () => {
  const controls: UpdateControl[] = []
  afterEach(() => controls.splice(0).forEach((control) => control.close()))

  function control(updater: Partial<Updater> | undefined, build: Partial<Build> = {}, isDaily = false) {
    const done: string[] = []
    const looks: number[] = []
    const whole: Updater = {
      look: async () => ({ version: '1.3.0', isSignatureValid: true }),
      download: async () => void done.push('download'),
      installAndRestart: () => void done.push('install'),
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
    made.installer()?.()
    expect(done).toEqual(['download', 'install'])
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
    const foreign = control({ look: async () => ({ version: '9.0.0', isSignatureValid: false }) })
    await foreign.made.look('asked')
    await foreign.made.download()
    expect([foreign.made.state.type, foreign.done, foreign.made.installer()]).toEqual(['failed', [], undefined])
    const older = control({ look: async () => ({ version: '1.0.0', isSignatureValid: true }) })
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
    await made.look('asked')
    expect(looks).toHaveLength(2)
  })
})
