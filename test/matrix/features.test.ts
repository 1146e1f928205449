// Nothing of a request is lost in silence: each feature that clients use is sent to the provider, named as dropped, or refused.

import { describe, expect, it } from 'vitest'
import { FEATURES } from './features/all.ts'
import { ALL_QUIRKS, outcomeOf } from './outcome.ts'
import { PAIRS } from './pair.ts'

describe.each(PAIRS.map((pair) => [pair.name, pair] as const))('%s', (_, pair) => {
  it.each(FEATURES[pair.client].map((feature) => [feature.name, feature] as const))(
    'does not lose %s',
    (__, feature) => {
      expect(outcomeOf(pair, feature)).not.toEqual({ type: 'lost' })
      if (pair.provider === 'chat-completions')
        expect(outcomeOf(pair, feature, { quirks: ALL_QUIRKS })).not.toEqual({ type: 'lost' })
    },
  )
})

describe.each(Object.entries(FEATURES))('the features of %s', (_, features) => {
  it('have names that differ', () => {
    const names = features.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
  })
})
