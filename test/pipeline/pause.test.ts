import { describe, expect, it } from 'vitest'
import { Pause } from '#pipeline/pause.ts'

function pauseAt(startMs: number) {
  const clock = { nowMs: startMs }
  return { clock, pause: new Pause(() => clock.nowMs) }
}

describe('a pause', () => {
  it('refuses until its end, and says for how long still', () => {
    const { clock, pause } = pauseAt(1_000_000)
    expect(pause.refusal()).toBeUndefined()
    pause.begin(60_000)
    expect(pause.refusal()).toMatchObject({ code: 'overloaded', retryAfterSeconds: 60 })
    clock.nowMs += 59_999
    expect(pause.refusal()).toMatchObject({ retryAfterSeconds: 1 })
    clock.nowMs += 1
    expect(pause.refusal()).toBeUndefined()
    expect(pause.untilMs).toBeUndefined()
  })

  it('ends when it is told to, and is replaced by the next one', () => {
    const { pause } = pauseAt(0)
    pause.begin(60_000)
    pause.begin(3_600_000)
    expect(pause.untilMs).toBe(3_600_000)
    pause.end()
    expect(pause.refusal()).toBeUndefined()
  })

  it('ends rather than grows when the clock is set back', () => {
    const { clock, pause } = pauseAt(86_400_000)
    pause.begin(60_000)
    clock.nowMs -= 3_600_000
    expect(pause.refusal()).toBeUndefined()
    clock.nowMs += 3_600_001
    expect(pause.refusal()).toBeUndefined()
  })
})
