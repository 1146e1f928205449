import { afterEach, describe, expect, it } from 'vitest'
import { GatewayControl } from '#shell/gateway-control.ts'
import type { GatewayHost, Reading, Started } from '#shell/gateway-port.ts'
import { Shutdown } from '#shell/shutdown.ts'
import { FakeGateway, NOW_MS, reading, statusView } from './support.ts'

const controls: GatewayControl[] = []
afterEach(async () => {
  await Promise.all(controls.splice(0).map((control) => control.stop().catch(() => undefined)))
})

function setUp(start: () => Started, intervalsMs = { idle: 60_000, busy: 5 }) {
  const readings: Reading[] = []
  const states: string[] = []
  let starts = 0
  const host: GatewayHost = {
    start: async () => {
      starts += 1
      return start()
    },
  }
  const control = new GatewayControl({
    host,
    nowMs: () => NOW_MS,
    intervalsMs,
    onChange: ({ gateway }) => states.push(gateway.type),
    onReading: (read) => readings.push(read),
  })
  controls.push(control)
  return { control, readings, states, starts: () => starts }
}

function running(gateway = new FakeGateway()) {
  return { gateway, ...setUp(() => ({ type: 'running', gateway })) }
}

describe('a gateway under control', () => {
  it('starts, is shown as it says it is, and stops', async () => {
    const { control, states, gateway } = running()
    await control.start()
    expect(control.view.gateway).toMatchObject({ type: 'running', url: gateway.url })
    await control.stop()
    expect(states).toEqual(['starting', 'running', 'stopping', 'stopped'])
    expect(gateway.done).toEqual(['close'])
    expect([gateway.listeners, control.gateway]).toEqual([0, undefined])
  })

  it('starts once, however often somebody asks at once', async () => {
    const { control, starts } = running()
    await Promise.all([control.start(), control.start(), control.start()])
    expect(starts()).toBe(1)
  })

  it('ends once and whole when it is stopped twice, and only then starts again', async () => {
    const { control, gateway } = running()
    const { promise, resolve } = Promise.withResolvers<void>()
    gateway.closing = promise
    await control.start()
    const ended = [control.stop(), control.stop(), control.start()]
    await expect.poll(() => control.view.gateway.type).toBe('stopping')
    resolve()
    await Promise.all(ended)
    expect(gateway.done).toEqual(['close'])
    expect(control.view.gateway.type).toBe('running')
  })

  it.each<[Started, string]>([
    [
      { type: 'port-taken', port: 3273, owner: "'nginx' (process 7)" },
      "Port 3273 is taken by 'nginx' (process 7). Stop it and try again.",
    ],
    [{ type: 'failed', message: 'No folder.' }, 'No folder.'],
  ])('that cannot start says why: %j', async (started, message) => {
    const { control } = setUp(() => started)
    await control.start()
    expect(control.view.gateway).toEqual({ type: 'failed', message })
  })

  it('starts when it is tried again and the reason is gone', async () => {
    let isTaken = true
    const gateway = new FakeGateway()
    const { control } = setUp(() =>
      isTaken ? { type: 'port-taken', port: 1, owner: 'x' } : { type: 'running', gateway },
    )
    await control.start()
    isTaken = false
    await control.start()
    expect(control.view.gateway.type).toBe('running')
  })

  it('is looked at soon after a call has ended, once for many', async () => {
    const { control, gateway, readings } = running()
    await control.start()
    gateway.next = reading({ keys: [] })
    for (let index = 0; index < 100; index++) gateway.endExchange()
    await expect.poll(() => readings.length).toBe(2)
    expect(control.view.summary.packages).toEqual([])
  })

  it('that does not answer is shown so, and as running again when it does', async () => {
    const { control, gateway } = running()
    await control.start()
    gateway.failure = new Error('down')
    await control.look()
    expect(control.view.gateway).toMatchObject({ type: 'failed', message: expect.stringContaining('does not answer') })
    gateway.failure = undefined
    await control.start()
    expect(control.view.gateway.type).toBe('running')
  })

  it('of another process that has ended is not started here by itself', async () => {
    const gateway = new FakeGateway()
    gateway.otherPid = 4242
    const { control, starts } = setUp(() => ({ type: 'running', gateway }))
    await control.start()
    expect(control.view.gateway).toMatchObject({ otherPid: 4242 })
    gateway.failure = new Error('gone')
    await control.look()
    expect([control.view.gateway.type, starts()]).toEqual(['stopped', 1])
  })

  it('is paused and resumed, and is shown so at once', async () => {
    const { control, gateway } = running()
    await control.start()
    await control.pause(60)
    expect(control.view.gateway).toMatchObject({ pausedUntilMs: NOW_MS + 3_600_000 })
    await control.resume()
    expect(control.view.gateway).toMatchObject({ pausedUntilMs: undefined })
    expect(gateway.done).toEqual(['pause 60', 'resume'])
  })

  it('lets old connections go and is looked at when the machine wakes', async () => {
    const { control, gateway, readings } = running()
    await control.start()
    gateway.next = reading({ status: statusView({ ledger: 'halted' }) })
    await control.afterSleep()
    expect(gateway.done).toEqual(['afterSleep'])
    expect(control.view.gateway).toMatchObject({ ledger: 'halted' })
    expect(readings).toHaveLength(2)
  })

  it('is not shown as running by an answer that comes after it was stopped', async () => {
    const { control, gateway } = running()
    await control.start()
    const late = Promise.withResolvers<Reading>()
    gateway.read = () => late.promise
    const looking = control.look()
    const stopped = control.stop()
    late.resolve(reading())
    await Promise.all([looking, stopped])
    expect(control.view.gateway.type).toBe('stopped')
  })
})

describe('the end of the program', () => {
  function ending(finish: () => Promise<void>, limitMs = 60_000) {
    const exits: number[] = []
    const notes: string[] = []
    const note = (line: string) => notes.push(line)
    return { exits, notes, shutdown: new Shutdown({ finish, exit: (code) => exits.push(code), limitMs, note }) }
  }

  const failing = () => Promise.reject(new Error('prompt: my secret'))

  it('happens once, whoever asks for it and however often', async () => {
    let finished = 0
    const { exits, shutdown } = ending(async () => void (finished += 1))
    expect(shutdown.hasBegun).toBe(false)
    await Promise.all([shutdown.begin(), shutdown.begin(), shutdown.begin()])
    await shutdown.begin()
    expect([finished, exits, shutdown.hasBegun]).toEqual([1, [0], true])
  })

  it('waits for what has to be written', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { exits, shutdown } = ending(() => promise)
    const ended = shutdown.begin()
    await new Promise((done) => setImmediate(done))
    expect([exits, shutdown.mayQuit]).toEqual([[], false])
    resolve()
    await ended
    expect([exits, shutdown.mayQuit]).toEqual([[0], true])
  })

  it('says with its code that something failed or took too long, and ends all the same', async () => {
    const failed = ending(failing)
    await failed.shutdown.begin()
    expect(failed.exits).toEqual([1])
    const late = ending(() => new Promise(() => undefined), 5)
    await late.shutdown.begin()
    expect(late.exits).toEqual([1])
    expect(failed.notes.join()).not.toContain('secret')
  })

  it('leaves the process to what comes last, and only when all is done', async () => {
    const order: string[] = []
    const { exits, shutdown } = ending(async () => void order.push('finish'))
    const install = (name: string) => () => new Promise<never>(() => order.push(`${name} ${shutdown.mayQuit}`))
    void shutdown.begin(install('install'))
    void shutdown.begin(install('other'))
    await expect.poll(() => order).toEqual(['finish', 'install true'])
    expect(exits).toEqual([])
  })

  it('installs nothing over an end that failed or was late', async () => {
    for (const { exits, shutdown } of [ending(failing), ending(() => new Promise(() => undefined), 5)]) {
      let isInstalled = false
      await shutdown.begin(() => {
        isInstalled = true
        return new Promise(() => undefined)
      })
      expect([isInstalled, exits, shutdown.mayQuit]).toEqual([false, [1], false])
    }
  })

  it('ends also when what comes last fails, by a promise or at once', async () => {
    const throwing = () => {
      throw new Error('at once')
    }
    for (const last of [failing, throwing] as (() => Promise<never>)[]) {
      const { exits, notes, shutdown } = ending(() => Promise.resolve())
      await shutdown.begin(last)
      expect([exits, notes]).toEqual([[1], ['The update could not be installed.']])
    }
  })
})
