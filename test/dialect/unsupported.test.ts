import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { otherName, unsupportedMembers } from '#dialect/unsupported.ts'
import { measured } from '../support/cpu-time.ts'

const NOTHING = { members: [], values: [] }

/** An error in OpenAI's shape. */
function openai(message: string, extra: object = {}): object {
  return { error: { message, type: 'invalid_request_error', param: null, code: null, ...extra } }
}

/** Pydantic's list, as Mistral and vLLM send it. */
function forbidden(...locations: unknown[][]): object[] {
  return forbiddenAt(locations)
}

function forbiddenAt(locations: readonly unknown[][]): object[] {
  return locations.map((loc) => ({ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted', input: 1 }))
}

describe('a member that a provider does not take is found', () => {
  it.each<[string, unknown, string[]]>([
    [
      'in the words of OpenAI',
      openai("Unsupported parameter: 'temperature' is not supported with this model."),
      ['temperature'],
    ],
    [
      "by OpenAI's code",
      openai('No.', { code: 'unsupported_parameter', param: 'parallel_tool_calls' }),
      ['parallel_tool_calls'],
    ],
    ['by a path behind it', openai('No.', { code: 'unsupported_parameter', param: 'reasoning.effort' }), ['reasoning']],
    [
      'as unknown',
      openai("Unknown parameter: 'prompt_cache_retention'.", {
        code: 'unknown_parameter',
        param: 'prompt_cache_retention',
      }),
      ['prompt_cache_retention'],
    ],
    ['as unrecognized', openai('Unrecognized request argument supplied: seed'), ['seed']],
    [
      'as several unrecognized ones',
      openai('Unrecognized request arguments supplied: reasoning_effort, verbosity'),
      ['reasoning_effort', 'verbosity'],
    ],
    ['in the list of vLLM', { detail: forbidden(['body', 'store']) }, ['store']],
    [
      'in the list of Mistral',
      { object: 'error', message: { detail: forbidden(['body', 'store'], ['body', 'seed']) }, code: null },
      ['store', 'seed'],
    ],
    ['as a part of a member in a list', { detail: forbidden(['body', 'reasoning', 'summary']) }, ['reasoning']],
    ['in the words of Groq', openai("property 'service_tier' is unsupported"), ['service_tier']],
    [
      'in the words of Anthropic',
      { type: 'error', error: { type: 'invalid_request_error', message: 'thinking: Extra inputs are not permitted' } },
      ['thinking'],
    ],
    [
      'in the words of Anthropic, with a path',
      { error: { message: 'metadata.x: Extra inputs are not permitted' } },
      ['metadata'],
    ],
    ['in the words of Gemini', { error: { code: 400, message: 'Unknown name "seed": Cannot find field.' } }, ['seed']],
    ['as not allowed', openai('`top_k` is not allowed'), ['top_k']],
    [
      'as what a model does not support',
      openai('This model does not support the parameter reasoning_effort.'),
      ['reasoning_effort'],
    ],
    ['in an error without a frame', { message: 'stop: Extra inputs are not permitted' }, ['stop']],
  ])('%s', (_name, body, members) => {
    expect(unsupportedMembers(body)).toEqual({ members, values: [] })
  })

  it('only as a value that is not taken, where another one may be', () => {
    const message = "Unsupported value: 'temperature' does not support 0.2 with this model. Only 1 is supported."
    const extra = { code: 'unsupported_value', param: 'temperature' }
    for (const body of [openai(message, extra), openai(message), openai('No.', extra)]) {
      expect(unsupportedMembers(body)).toEqual({ members: [], values: ['temperature'] })
    }
  })

  it.each([
    ['max_tokens', 'max_completion_tokens'],
    ['max_completion_tokens', 'max_tokens'],
  ])('as %s, which has another name', (name, other) => {
    const message = `Unsupported parameter: '${name}' is not supported with this model. Use '${other}' instead.`
    expect(unsupportedMembers(openai(message))).toEqual({ members: [name], values: [] })
    expect(otherName(name)).toBe(other)
    expect(otherName(other)).toBe(name)
  })
})

/** What a call costs, and what it means. */
const KEPT = [
  'model',
  'messages',
  'input',
  'instructions',
  'system',
  'contents',
  'tools',
  'tool_choice',
  'functions',
  'response_format',
  'text',
  'n',
  'stream',
  'stream_options',
  'max_output_tokens',
  'generationConfig',
  '__proto__',
  'constructor',
]

describe('nothing is left out', () => {
  it.each(KEPT)('that decides the cost or the meaning of a call: %s', (name) => {
    const bodies = [
      openai(`Unsupported parameter: '${name}' is not supported with this model.`),
      openai('No.', { code: 'unsupported_parameter', param: name }),
      openai('No.', { code: 'unsupported_value', param: name }),
      openai(`Unsupported value: '${name}' does not support that.`),
      openai(`Unknown parameter: '${name}'.`),
      openai(`Unrecognized request arguments supplied: ${name}, ${name}`),
      { detail: forbidden(['body', name]) },
      openai(`property '${name}' is unsupported`),
      openai(`${name}: Extra inputs are not permitted`),
      { error: { message: `Unknown name "${name}"` } },
      openai(`This model does not support ${name}`),
    ]
    for (const body of bodies) expect(unsupportedMembers(body)).toEqual(NOTHING)
    expect(otherName(name)).toBeUndefined()
  })

  it.each([
    ['inside a message', openai('messages.0.metadata: Extra inputs are not permitted')],
    ['inside a tool', openai('tools.1.custom.user: Extra inputs are not permitted')],
    ['inside a message, in a list', { detail: forbidden(['body', 'messages', 0, 'metadata']) }],
    ['inside a message, in a list without a body', { detail: forbidden(['messages', 0, 'assistant', 'reasoning']) }],
  ])('of the request because of a member of that name %s', (_where, body) => {
    expect(unsupportedMembers(body)).toEqual(NOTHING)
  })

  it.each([
    [
      'another error of a member',
      openai("Invalid 'temperature': must be below 2.", { param: 'temperature', code: 'invalid_value' }),
    ],
    ['a context that is too long', openai("This model's maximum context length is 8192 tokens.")],
    ['an error of another list', { detail: [{ type: 'missing', loc: ['body', 'seed'] }] }],
    [
      'a list of nonsense',
      { detail: [null, 1, 'x', {}, { type: 'extra_forbidden' }, { type: 'extra_forbidden', loc: [] }] },
    ],
    ['a list in a wrong place', { detail: { type: 'extra_forbidden', loc: ['seed'] } }],
    ['no words', { error: { message: 5, code: 5, param: 5 } }],
    ['text', 'temperature is not supported'],
    ['a list', [openai("Unsupported parameter: 'seed'")]],
    ['null', null],
    ['nothing', undefined],
  ])('because of %s', (_name, body) => {
    expect(unsupportedMembers(body)).toEqual(NOTHING)
  })
})

describe('whatever a provider says', () => {
  it('is read without a throw, and names known members only', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        for (const body of [
          value,
          openai(text),
          { detail: value },
          { error: value },
          openai('x', { code: value, param: value }),
        ]) {
          const { members, values } = unsupportedMembers(body)
          for (const name of [...members, ...values]) expect(KEPT).not.toContain(name)
        }
      }),
    )
  })

  it.each([
    ['letters', 'a'],
    ['dots', 'a.'],
    ['names', 'seed, '],
    ['quotes', "'"],
    ['sentences', 'unrecognized request argument supplied: a, '],
    ['spaces', 'x is not '],
  ])('is read in no time, however long: %s', (_name, piece) => {
    const message = piece.repeat(2_000_000 / piece.length)
    const list = { detail: forbiddenAt(Array.from({ length: 50_000 }, () => ['body', 'seed'])) }
    expect(measured(() => unsupportedMembers({ ...openai(message), ...list })).cpuMs).toBeLessThan(250)
  })
})
