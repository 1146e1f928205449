import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import { readGeminiCount, writeGeminiCount, writeGeminiRequest } from '#dialect/gemini/write-request.ts'
import { isRecord } from '#dialect/request-body.ts'
import { repairTurns } from '#dialect/repair.ts'
import type { AssistantContent, Conversation, ToolResult, Turn, UserContent } from '#dialect/turn.ts'
import { bodyOf, conversation, system, target, tool, user, written } from './conversations.ts'

const SIGNATURE = 'AY89a1/+sig=='
const SENTINEL = 'skip_thought_signature_validator'
const PNG = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA==' } } as const
const INLINE = { inlineData: { mimeType: 'image/png', data: 'AA==' } }

function call(id: string, name: string, more: Partial<AssistantContent> = {}): AssistantContent {
  return { type: 'tool-call', id, name, arguments: '{"q":1}', ...more } as AssistantContent
}

function assistant(...content: AssistantContent[]): Turn {
  return { role: 'assistant', content }
}

function results(...given: (Partial<ToolResult> & { callId: string })[]): Turn {
  const whole = given.map((one) => ({ content: [{ type: 'text', text: 'ok' }] as const, isError: false, ...one }))
  return { role: 'tool', results: whole }
}

function contentsOf(turns: readonly Turn[], model?: string): unknown {
  return bodyOf({ turns }, model)['contents']
}

function response(id: string, name: string, value: unknown) {
  return { functionResponse: { id, name, response: value } }
}

function refusalOf(given: Partial<Conversation>, model = 'gemini-3.5-flash') {
  const request = writeGeminiRequest(conversation(given), target(model))
  return isRefusal(request) ? request : undefined
}

describe('the path of a Gemini request', () => {
  it.each([
    ['gemini-3.5-flash', '/models/gemini-3.5-flash:generateContent'],
    ['models/gemini-3.5-flash', '/models/gemini-3.5-flash:generateContent'],
    ['tunedModels/mine', '/tunedModels/mine:generateContent'],
    ['../x?key=a#b', '/models/..%2Fx%3Fkey%3Da%23b:generateContent'],
    ['\ud800', '/models/%EF%BF%BD:generateContent'],
  ])('names %s', (model, path) => {
    expect(written({}, model).path).toBe(path)
  })

  it('asks for events where the client wants a stream', () => {
    const request = writeGeminiRequest(conversation({}), target('gemini-2.5-pro', true))
    expect(request).toMatchObject({ path: '/models/gemini-2.5-pro:streamGenerateContent?alt=sse' })
  })
})

describe('the contents of a Gemini request', () => {
  it('are turns of users and models, with the instructions apart', () => {
    const turns = [system('Be brief.'), user('Hi'), assistant({ type: 'text', text: 'Yes?' }), user('Bye')]
    const body = bodyOf({ turns })
    expect(body['systemInstruction']).toEqual({ parts: [{ text: 'Be brief.' }] })
    expect(body['contents']).toEqual([
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ text: 'Yes?' }] },
      { role: 'user', parts: [{ text: 'Bye' }] },
    ])
  })

  it('mark later instructions as such in the words of the user', () => {
    expect(contentsOf([user('Hi'), system('Now in French.'), user('Bye')])).toEqual([
      { role: 'user', parts: [{ text: 'Hi' }, { text: '<system>\nNow in French.\n</system>' }, { text: 'Bye' }] },
    ])
  })

  it('put instructions into the first words of the user for Gemma', () => {
    const body = bodyOf({ turns: [system('Be brief.'), user('Hi')] }, 'gemma-3-27b-it')
    expect(body['systemInstruction']).toBeUndefined()
    expect(body['contents']).toEqual([{ role: 'user', parts: [{ text: 'Be brief.' }, { text: 'Hi' }] }])
  })

  it('never begin with the model and are never empty', () => {
    const first = { role: 'user', parts: [{ text: ' ' }] }
    expect(contentsOf([assistant({ type: 'text', text: 'A' }), user('B')])).toMatchObject([
      first,
      { role: 'model' },
      {},
    ])
    expect(contentsOf([assistant(call('c', 'f')), results({ callId: 'c' })])).toMatchObject([first, {}, {}])
    expect(contentsOf([system('S')])).toEqual([first])
    expect(contentsOf([])).toEqual([first])
  })

  it('hold no empty texts', () => {
    expect(contentsOf([user(''), assistant({ type: 'text', text: '' }), user('Hi'), system('')])).toEqual([
      { role: 'user', parts: [{ text: 'Hi' }] },
    ])
  })

  it('have one response for each call, in order, with its name, and the texts behind them', () => {
    const turns = [
      user('Go'),
      assistant({ type: 'text', text: 'I look.' }, call('a', 'f'), call('b', 'f'), call('c', 'g', { arguments: '' })),
      results(
        { callId: 'a' },
        { callId: 'b', isError: true, content: [{ type: 'text', text: 'no' }] },
        { callId: 'c', content: [] },
      ),
      user('Well?'),
    ]
    expect(contentsOf(turns, 'gemini-2.5-flash')).toEqual([
      { role: 'user', parts: [{ text: 'Go' }] },
      {
        role: 'model',
        parts: [
          { text: 'I look.' },
          { functionCall: { id: 'a', name: 'f', args: { q: 1 } } },
          { functionCall: { id: 'b', name: 'f', args: { q: 1 } } },
          { functionCall: { id: 'c', name: 'g', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          response('a', 'f', { result: 'ok' }),
          response('b', 'f', { error: 'no' }),
          response('c', 'g', { result: '' }),
          { text: 'Well?' },
        ],
      },
    ])
  })

  it('keep the arguments of a call an object', () => {
    const turns = [
      user('Go'),
      assistant(call('a', 'f', { arguments: '[1]' }), call('b', 'f', { arguments: '{"a' })),
      results(),
    ]
    expect(JSON.stringify(contentsOf(turns))).toContain('"args":{"_raw":"[1]"}')
    expect(JSON.stringify(contentsOf(turns))).toContain('"args":{"_raw":"{\\"a"}')
  })

  it('put images of a result into it for models that take them there, else behind all results', () => {
    const turns = [
      user('Go'),
      assistant(call('a', 'f'), call('b', 'f')),
      results({ callId: 'a', content: [{ type: 'text', text: 'Look:' }, PNG] }, { callId: 'b' }),
    ]
    expect(contentsOf(turns)).toMatchObject([
      {},
      {},
      {
        parts: [
          { functionResponse: { id: 'a', response: { result: 'Look:' }, parts: [INLINE] } },
          { functionResponse: {} },
        ],
      },
    ])
    expect(contentsOf(turns, 'gemini-2.5-pro')).toMatchObject([
      {},
      {},
      {
        parts: [
          { functionResponse: { id: 'a' } },
          { functionResponse: { id: 'b' } },
          { text: '[media of the result of f]' },
          INLINE,
        ],
      },
    ])
  })

  it('carry images, documents and audio', () => {
    const content: UserContent[] = [
      PNG,
      { type: 'image', source: { type: 'base64', mediaType: 'image/jpg', data: 'BB==' } },
      { type: 'document', source: { type: 'base64', mediaType: 'application/pdf', data: 'CC==' } },
      { type: 'document', source: { type: 'text', text: 'Words' }, name: 'notes.txt' },
      { type: 'audio', data: 'DD==', format: 'wav' },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.JPG?x=.png' } },
      { type: 'document', source: { type: 'url', url: 'https://example.com/a' } },
    ]
    expect(contentsOf([{ role: 'user', content }])).toEqual([
      {
        role: 'user',
        parts: [
          INLINE,
          { inlineData: { mimeType: 'image/jpeg', data: 'BB==' } },
          { inlineData: { mimeType: 'application/pdf', data: 'CC==' } },
          { text: 'notes.txt\n\nWords' },
          { inlineData: { mimeType: 'audio/wav', data: 'DD==' } },
          { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/a.JPG?x=.png' } },
          { fileData: { fileUri: 'https://example.com/a' } },
        ],
      },
    ])
  })

  it.each([
    ['gemini-2.0-flash', 'https://example.com/a.png'],
    ['gemini-3.5-flash', 'http://example.com/a.png'],
    ['gemini-3.5-flash', 'data:image/png,x'],
    ['gemini-3.5-flash', 'file:///etc/passwd'],
  ])('of %s are refused with an image at %s, without telling the URL', (model, url) => {
    const refusal = refusalOf(
      { turns: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }] },
      model,
    )
    expect(refusal?.code).toBe('invalid_request')
    expect(refusal?.message).toContain('base64')
    expect(refusal?.message).not.toContain(url)
  })
})

describe('thought signatures', () => {
  const sealed = { origin: 'gemini', value: SIGNATURE } as const

  it('go back with the call that they came with', () => {
    const turns = [
      user('Go'),
      assistant(call('a', 'f', { sealed }), call('b', 'f')),
      results({ callId: 'a' }, { callId: 'b' }),
    ]
    expect(contentsOf(turns)).toMatchObject([
      {},
      { parts: [{ thoughtSignature: SIGNATURE }, { functionCall: { id: 'b' } }] },
      {},
    ])
    expect(JSON.stringify(contentsOf(turns))).not.toContain(SENTINEL)
  })

  it('of a text are not taken for those of the call behind it', () => {
    const turns = [
      user('Go'),
      assistant({ type: 'reasoning', text: '', sealed }, call('a', 'f')),
      results({ callId: 'a' }),
    ]
    expect(contentsOf(turns)).toMatchObject([
      {},
      {
        parts: [
          { text: '', thoughtSignature: SIGNATURE },
          { functionCall: {}, thoughtSignature: SENTINEL },
        ],
      },
      {},
    ])
  })

  it('of a text stand behind the text, in a part without text', () => {
    const turns = [
      user('Go'),
      assistant({ type: 'text', text: 'A' }, { type: 'reasoning', text: '', sealed }),
      user('B'),
    ]
    expect(contentsOf(turns)).toMatchObject([
      {},
      { parts: [{ text: 'A' }, { text: '', thoughtSignature: SIGNATURE }] },
      {},
    ])
  })

  it('of thoughts go back with the thoughts', () => {
    const turns = [user('Go'), assistant({ type: 'reasoning', text: 'Hm', sealed }, { type: 'text', text: 'A' })]
    expect(contentsOf(turns)).toMatchObject([
      {},
      { parts: [{ text: 'Hm', thought: true, thoughtSignature: SIGNATURE }, { text: 'A' }] },
    ])
  })

  it.each([
    ['another provider', { origin: 'messages', value: SIGNATURE }],
    ['nobody, because it is damaged', { origin: 'gemini', value: 'AY…' }],
  ] as const)('of %s are left out', (_name, foreign) => {
    const turns = [
      user('Go'),
      assistant({ type: 'reasoning', text: 'Hm', sealed: foreign }, call('a', 'f', { sealed: foreign })),
    ]
    expect(contentsOf(turns)).toMatchObject([{}, { parts: [{ thoughtSignature: SENTINEL }] }])
    expect(written({ turns }).dropped).toEqual(['earlier reasoning'])
  })

  it('that are missing are excused for the first call of each step since the user last spoke, and for Gemini 3 alone', () => {
    const turns = [
      user('One'),
      assistant(call('a', 'f')),
      results({ callId: 'a' }),
      assistant({ type: 'text', text: 'Done' }),
      user('Two'),
      assistant(call('b', 'f'), call('c', 'f')),
      results({ callId: 'b' }, { callId: 'c' }),
      assistant({ type: 'text', text: 'More' }, call('d', 'f')),
      results({ callId: 'd' }),
    ]
    const signed = JSON.stringify(contentsOf(turns)).matchAll(
      /"id":"(\w)","name":"f","args":{"q":1}},"thoughtSignature":"skip/g,
    )
    expect([...signed].map((match) => match[1])).toEqual(['b', 'd'])
    expect(JSON.stringify(contentsOf(turns, 'gemini-2.5-pro'))).not.toContain(SENTINEL)
  })

  it('are excused also where words of the user stand behind the results', () => {
    const turns = [user('One'), assistant(call('a', 'f')), results({ callId: 'a' }), user('Go on')]
    expect(JSON.stringify(contentsOf(turns))).toContain(SENTINEL)
  })
})

describe('tools', () => {
  const tools = [tool('f', { type: 'object', properties: { a: { type: 'string' } } }), tool('g')]

  it('are function declarations, without parameters where there are none', () => {
    const body = bodyOf({ tools: [...tools, tool('h', { type: 'object', properties: {} })] })
    expect(body['tools']).toEqual([
      {
        functionDeclarations: [
          { name: 'f', description: 'Does f.', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } } } },
          { name: 'g', description: 'Does g.' },
          { name: 'h', description: 'Does h.' },
        ],
      },
    ])
    expect(body['toolConfig']).toBeUndefined()
  })

  it.each([
    [{ type: 'auto' }, undefined],
    [{ type: 'none' }, { mode: 'NONE' }],
    [{ type: 'required' }, { mode: 'ANY' }],
    [
      { type: 'tool', name: 'g' },
      { mode: 'ANY', allowedFunctionNames: ['g'] },
    ],
  ] as const)('are called as the choice %j says', (toolChoice, functionCallingConfig) => {
    const config = bodyOf({ tools, toolChoice })['toolConfig']
    expect(config).toEqual(functionCallingConfig === undefined ? undefined : { functionCallingConfig })
  })

  it('leave no choice behind where there are none', () => {
    const body = bodyOf({ toolChoice: { type: 'required' } })
    expect(body['tools']).toBeUndefined()
    expect(body['toolConfig']).toBeUndefined()
  })

  it('that are strict have their calls validated by models that can', () => {
    const strict = [{ ...tool('f'), isStrict: true }]
    expect(bodyOf({ tools: strict })['toolConfig']).toEqual({ functionCallingConfig: { mode: 'VALIDATED' } })
    expect(bodyOf({ tools: strict }, 'gemini-2.5-pro')['toolConfig']).toBeUndefined()
    expect(written({ tools: strict }, 'gemini-2.5-pro').dropped).toEqual(['strict'])
  })

  it('of the provider are named as left out, and refused where one is forced', () => {
    expect(written({ hostedTools: ['web_search_20250305'] }).dropped).toEqual(['web_search_20250305'])
    const refusal = refusalOf({ hostedTools: ['web_search'], toolChoice: { type: 'hosted', name: 'web_search' } })
    expect(refusal).toMatchObject({ code: 'invalid_request', param: 'tool_choice' })
  })
})

describe('the generation config', () => {
  function config(given: Partial<Conversation>, model?: string, cap?: number): unknown {
    return bodyOf(given, model, cap)['generationConfig']
  }

  it('has the cap, sampling, stops and the number of answers', () => {
    const sampling = { temperature: 1, topP: 0.5, topK: 4, seed: 7, presencePenalty: 1, frequencyPenalty: -1 }
    expect(config({ sampling, stop: ['a', ''], choices: 2 }, 'gemini-3.5-flash', 77)).toEqual({
      maxOutputTokens: 77,
      temperature: 1,
      topP: 0.5,
      topK: 4,
      seed: 7,
      presencePenalty: 1,
      frequencyPenalty: -1,
      stopSequences: ['a'],
      candidateCount: 2,
    })
  })

  it('has no penalties for Gemini 2.5, which refuses them, and names them', () => {
    const sampling = { presencePenalty: 1, frequencyPenalty: 0 }
    expect(config({ sampling }, 'gemini-2.5-flash')).toEqual({ maxOutputTokens: 1000 })
    expect(written({ sampling }, 'gemini-2.5-flash').dropped).toEqual(['presence_penalty'])
  })

  it('has at most five stops, and names that there were more', () => {
    const stop = ['a', 'b', 'c', 'd', 'e', 'f']
    expect(config({ stop })).toMatchObject({ stopSequences: ['a', 'b', 'c', 'd', 'e'] })
    expect(written({ stop }).dropped).toEqual(['stop'])
  })

  const schema = { $schema: 'x', type: 'object', properties: { a: { const: 'b' } }, additionalProperties: false }
  const format = { type: 'json-schema', name: 'n', description: undefined, schema, isStrict: true } as const

  it('asks for JSON, with a schema that Gemini takes', () => {
    expect(config({ format: { type: 'json' } })).toEqual({
      maxOutputTokens: 1000,
      responseMimeType: 'application/json',
    })
    expect(config({ format })).toMatchObject({
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING', enum: ['b'] } } },
    })
  })

  it('asks for JSON beside tools only where the model can, and never beside forced calls', () => {
    const tools = [tool('f')]
    expect(config({ format, tools })).toMatchObject({ responseMimeType: 'application/json' })
    expect(config({ format, tools }, 'gemini-2.5-pro')).toEqual({ maxOutputTokens: 1000 })
    expect(written({ format, tools }, 'gemini-2.5-pro').dropped).toEqual(['response_format'])
    expect(written({ format, tools, toolChoice: { type: 'required' } }).dropped).toEqual(['response_format'])
  })

  function thinking(model: string, effort: Conversation['reasoning']['effort'], budgetTokens?: number, cap = 100_000) {
    const reasoning = { effort, budgetTokens, isShown: false }
    const generation = config({ reasoning }, model, cap)
    return isRecord(generation) ? generation['thinkingConfig'] : undefined
  }

  it.each([
    ['gemini-2.5-pro', 'none', { thinkingBudget: 128 }],
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
    ['gemini-2.5-flash-lite', 'low', { thinkingBudget: 1024 }],
    ['gemini-2.5-flash', 'max', { thinkingBudget: 24_576 }],
    ['gemini-2.5-pro', 'max', { thinkingBudget: 32_768 }],
    ['gemini-3-pro-preview', 'none', { thinkingLevel: 'LOW' }],
    ['gemini-3-pro-preview', 'medium', { thinkingLevel: 'HIGH' }],
    ['gemini-3.1-pro-preview', 'medium', { thinkingLevel: 'MEDIUM' }],
    ['gemini-3-flash-preview', 'minimal', { thinkingLevel: 'MINIMAL' }],
    ['gemini-3.7-flash', 'minimal', { thinkingLevel: 'LOW' }],
    ['gemini-3.7-flash-lite', 'minimal', { thinkingLevel: 'MINIMAL' }],
    ['gemini-4-argon', 'xhigh', { thinkingLevel: 'HIGH' }],
    ['gemini-flash-latest', 'low', { thinkingLevel: 'LOW' }],
    ['gemini-2.0-flash', 'high', undefined],
    ['gemini-pro', 'high', undefined],
    ['gemma-3-27b-it', 'high', undefined],
    ['gemini-2.5-flash-image', 'high', undefined],
  ] as const)('has for %s and the effort %s the thinking %j', (model, effort, expected) => {
    expect(thinking(model, effort)).toEqual(expected)
  })

  it('keeps a budget within what the model takes and the cap allows', () => {
    expect(thinking('gemini-2.5-pro', undefined, 1)).toEqual({ thinkingBudget: 128 })
    expect(thinking('gemini-2.5-pro', undefined, 99_999)).toEqual({ thinkingBudget: 32_768 })
    expect(thinking('gemini-2.5-flash', 'high', undefined, 1000)).toEqual({ thinkingBudget: 500 })
    expect(thinking('gemini-2.5-pro', 'high', undefined, 10)).toEqual({ thinkingBudget: 128 })
    expect(thinking('gemini-2.5-flash', undefined, 0)).toEqual({ thinkingBudget: 0 })
    expect(thinking('gemini-3.5-flash', undefined, 5000)).toEqual({ thinkingLevel: 'MEDIUM' })
  })

  it('says nothing of thinking where the client did not, and shows thoughts where it wants them', () => {
    expect(thinking('gemini-3.5-flash', undefined)).toBeUndefined()
    const shown = { effort: undefined, budgetTokens: undefined, isShown: true }
    expect(config({ reasoning: shown })).toMatchObject({ thinkingConfig: { includeThoughts: true } })
    expect(config({ reasoning: shown }, 'gemini-2.0-flash')).toEqual({ maxOutputTokens: 1000 })
    expect(config({ reasoning: { ...shown, effort: 'none' } }, 'gemini-2.5-flash')).toMatchObject({
      thinkingConfig: { thinkingBudget: 0 },
    })
  })

  it('names reasoning that cannot be asked for or cannot be stopped', () => {
    const wish = (effort: 'none' | 'high') => ({ reasoning: { effort, budgetTokens: undefined, isShown: false } })
    expect(written(wish('high'), 'gemini-2.0-flash').dropped).toEqual(['reasoning'])
    expect(written(wish('none'), 'gemini-2.0-flash').dropped).toEqual([])
    expect(written(wish('none'), 'gemini-3.5-flash').dropped).toEqual(['reasoning'])
    expect(written(wish('none'), 'gemini-2.5-flash').dropped).toEqual([])
  })
})

it('names everything else that Gemini has no place for, once each', () => {
  const cacheMark = { ttl: undefined }
  const request = written({
    turns: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a', cacheMark },
          { ...PNG, detail: 'high', cacheMark },
        ],
      },
      assistant(call('a', 'f', { cacheMark })),
      results({ callId: 'a', cacheMark }),
    ],
    tools: [tool('f')],
    allowsParallelTools: false,
    user: 'u',
    shared: { service_tier: 'flex' },
  })
  expect([...request.dropped].sort()).toEqual([
    'cache_control',
    'image detail',
    'parallel_tool_calls',
    'service_tier',
    'user',
  ])
})

describe('counting', () => {
  it('counts instructions and tools as well', () => {
    const given = conversation({ turns: [system('S'), user('Hi')], tools: [tool('f')] })
    const count = writeGeminiCount(given, target('models/gemini-3.5-flash'))
    if (isRefusal(count)) throw new Error(count.message)
    expect(count.path).toBe('/models/gemini-3.5-flash:countTokens')
    expect(JSON.parse(count.body)).toEqual({
      generateContentRequest: {
        model: 'models/gemini-3.5-flash',
        systemInstruction: { parts: [{ text: 'S' }] },
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        tools: [{ functionDeclarations: [{ name: 'f', description: 'Does f.' }] }],
      },
    })
  })

  it.each([
    [{ totalTokens: 31 }, 31],
    [{ totalTokens: '31' }, undefined],
    [{ totalTokens: -1 }, undefined],
    [{}, undefined],
  ])('reads %j as %s', (answer, expected) => {
    expect(readGeminiCount(answer)).toBe(expected)
  })
})

it('writes contents that Gemini takes for any conversation', () => {
  const id = fc.constantFrom('a', 'b', 'c')
  const text = fc.constantFrom('', 'x', ' ')
  const seal = fc.constantFrom(undefined, { origin: 'gemini', value: SIGNATURE } as const)
  const turn: fc.Arbitrary<Turn> = fc.oneof(
    text.map(system),
    text.map(user),
    fc
      .array(
        fc.oneof(
          text.map((value): AssistantContent => ({ type: 'text', text: value })),
          fc.tuple(text, seal).map(([value, sealed]): AssistantContent => ({ type: 'reasoning', text: value, sealed })),
          fc.tuple(id, seal).map(([one, sealed]): AssistantContent => call(one, 'f', { sealed })),
        ),
        { maxLength: 4 },
      )
      .map((content) => assistant(...content)),
    fc.array(id, { maxLength: 3 }).map((ids) => results(...ids.map((callId) => ({ callId })))),
  )
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 10 }), (turns) => {
      const contents = contentsOf(repairTurns(turns))
      if (!Array.isArray(contents)) throw new Error('no contents')
      let openCalls: unknown[] = []
      for (const [index, content] of contents.entries()) {
        expect(content.role).toBe(index % 2 === 0 ? 'user' : 'model')
        expect(content.parts.length).toBeGreaterThan(0)
        const idsOf = (name: string) => content.parts.flatMap((part: never) => part[name]?.['id'] ?? [])
        expect(idsOf('functionResponse')).toEqual(openCalls)
        openCalls = idsOf('functionCall')
        for (const part of content.parts) if (part.text === '') expect(part.thoughtSignature).toBe(SIGNATURE)
      }
      expect(openCalls).toEqual([])
    }),
    { numRuns: 500 },
  )
})
