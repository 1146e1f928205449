import { describe, expect, it } from 'vitest'
import type { Target } from '#core/entities.ts'
import { Adaptations } from '#pipeline/adapt.ts'

const NONE: ReadonlySet<string> = new Set()
const TARGET = target('p', 'm')

function target(providerId: string, upstreamModel: string): Target {
  return { providerId, upstreamModel, priority: 0, weight: 1 }
}

function refusing(...names: string[]): Buffer {
  const message = `Unrecognized request arguments supplied: ${names.join(', ')}`
  return Buffer.from(JSON.stringify({ error: { message } }))
}

function refusingValue(name: string): Buffer {
  return Buffer.from(JSON.stringify({ error: { message: `Unsupported value: '${name}' does not support 2.` } }))
}

describe('what a target does not take', () => {
  it('is left out of later requests, byte for byte', () => {
    const adaptations = new Adaptations()
    const body = '{ "model":"m",  "seed": 1.50e0, "x": "\\u00e4", "user":"u" }'
    expect(adaptations.learn(TARGET, refusing('seed', 'user'), body)).toEqual(['seed', 'user'])
    const adapted = adaptations.apply(TARGET, body, NONE)
    expect(JSON.parse(adapted.body)).toEqual({ model: 'm', x: 'ä' })
    expect(adapted.body).toContain('"x": "\\u00e4"')
    expect(adapted.leftOut).toEqual(['seed', 'user'])
    expect(adaptations.apply(TARGET, '{"model":"m","user":"u"}', NONE).leftOut).toEqual(['user'])
    expect(adaptations.apply(TARGET, '{"model":"m"}', NONE)).toEqual({ body: '{"model":"m"}', leftOut: [] })
  })

  it('is known of that target alone', () => {
    const adaptations = new Adaptations()
    const body = '{"seed":1}'
    adaptations.learn(TARGET, refusing('seed'), body)
    for (const other of [target('p', 'n'), target('q', 'm'), target('p\0m', ''), target('', 'p\0m')]) {
      expect(adaptations.apply(other, body, NONE)).toEqual({ body, leftOut: [] })
    }
  })

  it('is learnt only of members that were in the request', () => {
    const adaptations = new Adaptations()
    expect(adaptations.learn(TARGET, refusing('seed'), '{"model":"m"}')).toEqual([])
    expect(adaptations.learn(TARGET, refusing('seed'), 'no JSON')).toEqual([])
    expect(adaptations.learn(TARGET, refusing('seed'), '{"x":{"seed":1}}')).toEqual([])
    expect(adaptations.apply(TARGET, '{"seed":1}', NONE).leftOut).toEqual([])
  })

  it('is nothing where the provider speaks of something else, or of what decides the call', () => {
    const adaptations = new Adaptations()
    const body = '{"model":"m","messages":[],"tools":[],"response_format":{},"n":1,"stream":true}'
    const all = refusing('model', 'messages', 'tools', 'response_format', 'n', 'stream')
    for (const refusal of [
      all,
      Buffer.from('<html>'),
      Buffer.from(''),
      Buffer.from('null'),
      Buffer.from([0xff, 0xfe]),
    ]) {
      expect(adaptations.learn(TARGET, refusal, body)).toEqual([])
    }
    expect(adaptations.apply(TARGET, body, NONE)).toEqual({ body, leftOut: [] })
  })
})

describe('a value that a target does not take', () => {
  it('is left out of the request at hand and of no other', () => {
    const adaptations = new Adaptations()
    const body = '{"temperature":2,"seed":1}'
    const more = adaptations.learn(TARGET, refusingValue('temperature'), body)
    expect(more).toEqual(['temperature'])
    expect(adaptations.apply(TARGET, body, new Set(more))).toEqual({ body: '{"seed":1}', leftOut: ['temperature'] })
    expect(adaptations.apply(TARGET, body, NONE)).toEqual({ body, leftOut: [] })
  })
})

describe('an output cap', () => {
  it.each([
    ['max_tokens', 'max_completion_tokens'],
    ['max_completion_tokens', 'max_tokens'],
  ])('%s is sent as %s, and nothing is lost', (name, other) => {
    const adaptations = new Adaptations()
    const body = `{"model":"m","${name}":77}`
    expect(adaptations.learn(TARGET, refusing(name), body)).toEqual([name])
    const adapted = adaptations.apply(TARGET, body, NONE)
    expect(JSON.parse(adapted.body)).toEqual({ model: 'm', [other]: 77 })
    expect(adapted.leftOut).toEqual([])
  })

  it('is never lost to a target that says that it takes neither', () => {
    const adaptations = new Adaptations()
    let body = '{"max_tokens":77}'
    for (const name of ['max_tokens', 'max_completion_tokens', 'max_tokens', 'max_completion_tokens']) {
      adaptations.learn(TARGET, refusing(name), body)
      body = adaptations.apply(TARGET, body, NONE).body
      expect(Object.values(JSON.parse(body) as object)).toEqual([77])
    }
  })
})

describe('the settings of the output', () => {
  const format = { type: 'json_schema', schema: { type: 'object' } }
  const refusal = Buffer.from(
    JSON.stringify({ error: { message: 'output_config.effort: Extra inputs are not permitted' } }),
  )

  it('are left out where they hold no schema', () => {
    const adaptations = new Adaptations()
    const body = '{"model":"m","output_config":{"effort":"high"}}'
    expect(adaptations.learn(TARGET, refusal, body)).toEqual(['output_config'])
    expect(adaptations.apply(TARGET, body, NONE)).toEqual({ body: '{"model":"m"}', leftOut: ['output_config'] })
  })

  it('keep their schema, which decides what the answer is', () => {
    const adaptations = new Adaptations()
    const body = JSON.stringify({ model: 'm', output_config: { effort: 'high', format } })
    expect(adaptations.learn(TARGET, refusal, body)).toEqual(['output_config'])
    const adapted = adaptations.apply(TARGET, body, NONE)
    expect(JSON.parse(adapted.body)).toEqual({ model: 'm', output_config: { format } })
    expect(adapted.leftOut).toEqual(['output_config'])
    // There is nothing more to go without, so that nobody is asked again.
    expect(adaptations.learn(TARGET, refusal, adapted.body)).toEqual([])
    expect(adaptations.apply(TARGET, adapted.body, NONE)).toEqual({ body: adapted.body, leftOut: [] })
  })
})
