import { describe, expect, it } from 'vitest'
import { whyCall } from '#core/why.ts'

describe('why a call ended', () => {
  it.each([424, 400])('without a request, by a refusal of our secret that is remembered (%i)', (status) => {
    const why = whyCall({ outcome: 'failed', status, attempts: [] })
    expect(why.says).toBe(
      "No provider was asked: the one for this model refused Farebox's secret or account shortly before.",
    )
    expect(why.advice).toMatch(/^Look at the provider's secret/)
  })

  it('without a request, for whatever else is remembered', () => {
    const { says } = whyCall({ outcome: 'failed', status: 502, attempts: [] })
    expect(says).toMatch(/^No provider was asked: those for this model had failed shortly before/)
  })

  it('with one that refused our secret', () => {
    const attempts = [{ provider: 'p', status: 401, reason: 'secret' }]
    const { says } = whyCall({ outcome: 'failed', status: 424, attempts })
    expect(says).toBe("No answer was to be had. The provider 'p' refused Farebox's secret or account (401).")
  })

  it('where Farebox ended a request', () => {
    const attempts = [{ provider: 'p', status: null, reason: 'aborted' }]
    expect(whyCall({ outcome: 'failed', status: 403, attempts }).says).toContain('its key was blocked')
  })

  it('where nobody noted what was asked', () => {
    expect(whyCall({ outcome: 'failed', status: 502, attempts: undefined }).says).toMatch(/^No answer was to be had\. /)
  })
})
