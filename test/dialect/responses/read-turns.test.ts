import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRefusal } from '#core/refusal.ts'
import { readResponsesRequest } from '#dialect/responses/read-request.ts'
import { readResponsesConversation } from '#dialect/responses/read-turns.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { conversation, refusal } from './requests.ts'

describe('what only a server with a memory has', () => {
  it('is refused in the words on which clients send everything instead', () => {
    const refused = refusal({ previous_response_id: 'resp_1' })
    expect(refused).toMatchObject({
      param: 'previous_response_id',
      details: { code: 'previous_response_not_found' },
    })
    expect(refused.message).toContain("Previous response with id 'resp_1' not found.")
    expect(refusal({ previous_response_id: 'a b"' }).message).toContain('Previous response not found.')
  })

  it.each(['conversation', 'prompt'])('is refused: %s', (param) => {
    expect(refusal({ [param]: { id: 'x' } })).toMatchObject({ code: 'invalid_request', param })
    expect(conversation({ [param]: null }).dropped).toEqual([])
  })
})

describe('the other members', () => {
  it('are read', () => {
    expect(
      conversation({
        temperature: 0.5,
        top_p: 0.9,
        max_output_tokens: 50,
        parallel_tool_calls: false,
        user: 'u',
        service_tier: 'flex',
        prompt_cache_key: 'k',
        safety_identifier: null,
        text: {
          verbosity: 'low',
          format: { type: 'json_schema', name: 'x', schema: { type: 'object' }, strict: true },
        },
        reasoning: { effort: 'xhigh', summary: 'auto' },
      }),
    ).toMatchObject({
      sampling: { temperature: 0.5, topP: 0.9 },
      outputCap: 50,
      allowsParallelTools: false,
      user: 'u',
      shared: { service_tier: 'flex', prompt_cache_key: 'k', verbosity: 'low' },
      format: { type: 'json-schema', name: 'x', schema: { type: 'object' }, isStrict: true },
      reasoning: { effort: 'xhigh', budgetTokens: undefined, isShown: true },
      choices: 1,
      stop: [],
      dropped: [],
    })
  })

  it.each<[JsonObject, string[]]>([
    [{ store: true }, ['store']],
    [{ store: false, background: false, truncation: 'disabled', stream_options: { include_obfuscation: true } }, []],
    [{ truncation: 'auto' }, ['truncation']],
    [{ include: ['reasoning.encrypted_content'] }, []],
    [{ include: ['message.output_text.logprobs'] }, ['include']],
    [
      { metadata: { a: 'b' }, client_metadata: { a: 'b' }, max_tool_calls: 3, shiny: 1 },
      ['metadata', 'client_metadata', 'max_tool_calls', 'shiny'],
    ],
    [{ metadata: null, shiny: null, text: null, reasoning: null }, []],
    [{ reasoning: { effort: 'enormous' } }, ['reasoning.effort']],
  ])('are named where they are lost: %j', (members, dropped) => {
    expect(conversation(members).dropped).toEqual(dropped)
  })

  it.each<[JsonObject, boolean]>([
    [{}, false],
    [{ reasoning: { effort: 'high' } }, false],
    [{ reasoning: { summary: 'none' } }, false],
    [{ reasoning: { summary: 'auto' } }, true],
    [{ reasoning: { generate_summary: 'concise' } }, true],
    [{ include: ['reasoning.encrypted_content'] }, true],
  ])('ask for reasoning to be shown or sealed: %j', (members, isShown) => {
    expect(conversation(members).reasoning.isShown).toBe(isShown)
  })

  it.each<[string, unknown, unknown]>([
    ['text.format.type', { format: { type: 'xml' } }, undefined],
    ['text.format.schema', { format: { type: 'json_schema', name: 'x' } }, undefined],
    ['text.format', { format: 'json' }, undefined],
    ['text', 'json', undefined],
  ])('are refused with the path of what is wrong: %s', (param, value) => {
    expect(refusal({ text: value })).toMatchObject({ param })
  })

  it.each([
    [{ format: { type: 'json_object' } }, { type: 'json' }],
    [{ format: { type: 'text' } }, undefined],
    [{}, undefined],
  ])('name a format: %j', (value, format) => {
    expect(conversation({ text: value }).format).toEqual(format)
  })
})

describe('any body', () => {
  it('is read or refused, and never an exception', () => {
    const member = fc.constantFrom(
      'type',
      'role',
      'content',
      'text',
      'call_id',
      'name',
      'arguments',
      'input',
      'output',
      'summary',
      'action',

      'tools',
      'format',
      'schema',
      'image_url',
      'file_data',
      'input_audio',
      'data',
      'encrypted_content',
      'function',
    )
    const leaf = fc.constantFrom<unknown>(
      'user',
      'assistant',
      'message',
      'function_call',
      'function_call_output',
      'reasoning',
      'input_text',
      'input_file',

      'input_image',
      'custom',
      'namespace',
      'local_shell_call',
      'tool_search_output',
      'data:a;base64,',
      '{}',
      '',
      null,
      5,
    )
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(member, tie('value'), { maxKeys: 5 }),
      ),
    }))
    const body = fc.record({
      input: fc.array(fc.dictionary(member, value, { maxKeys: 6 }), { minLength: 1, maxLength: 4 }),
      tools: fc.array(fc.dictionary(member, value, { maxKeys: 5 }), { maxLength: 3 }),
      text: value,
      include: value,
    })
    fc.assert(
      fc.property(body, (given) => {
        const sent = JSON.stringify({ model: 'm', ...given })
        const request = readResponsesRequest(sent, Buffer.byteLength(sent))
        if (isRefusal(request)) return
        const read = readResponsesConversation(request)
        if (isRefusal(read)) expect(read.param).toMatch(/^(input\[|tools\[|text)/)
        else expect(read.choices).toBe(1)
      }),
      { numRuns: 1000 },
    )
  })
})
