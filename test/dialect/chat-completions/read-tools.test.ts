import { describe, expect, it } from 'vitest'
import { CUSTOM_INPUT_SCHEMA } from '#dialect/tools.ts'
import type { JsonObject } from '#dialect/turn.ts'
import { conversationOf, refusalOf } from './support.ts'

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } }
const FUNCTION = { type: 'function', function: { name: 'f', description: 'd', parameters: SCHEMA, strict: true } }
const KNOWN = { name: 'f', kind: 'function', description: 'd', parameters: SCHEMA, isStrict: true }

function toolsOf(...tools: readonly JsonObject[]) {
  return conversationOf({ tools }).tools
}

describe('tools', () => {
  it.each([
    ['wrapped', FUNCTION],
    ['flat', { type: 'function', name: 'f', description: 'd', parameters: SCHEMA, strict: true }],
    ['flat, without a type', { name: 'f', description: 'd', parameters: SCHEMA, strict: true }],
    ['in the shape of messages', { name: 'f', description: 'd', input_schema: SCHEMA, strict: true }],
    ['of messages with its type', { type: 'custom', name: 'f', description: 'd', input_schema: SCHEMA, strict: true }],
    ['wrapped with a type of its own', { ...FUNCTION, type: 'tool' }],
  ])('that are %s are functions', (_, tool) => {
    expect(toolsOf(tool)).toEqual([KNOWN])
  })

  it('of the deprecated form are functions, and there is room for one call', () => {
    const conversation = conversationOf({ functions: [FUNCTION.function], function_call: { name: 'f' } })
    expect(conversation).toMatchObject({
      tools: [KNOWN],
      toolChoice: { type: 'tool', name: 'f' },
      allowsParallelTools: false,
    })
  })

  it.each([
    ['wrapped', { custom: { name: 'p', description: 'd', format: { grammar: { syntax: 'lark', definition: 'G' } } } }],
    ['flat', { name: 'p', description: 'd', format: { type: 'grammar', syntax: 'lark', definition: 'G' } }],
  ])('that take free text, %s, have the schema of their input and tell of their grammar', (_, tool) => {
    expect(toolsOf({ type: 'custom', ...tool })).toEqual([
      {
        name: 'p',
        kind: 'custom',
        description: "d\n\nThe member 'input' must match this lark grammar:\nG",
        parameters: CUSTOM_INPUT_SCHEMA,
      },
    ])
  })

  it('without parameters or a description are taken', () => {
    expect(toolsOf({ type: 'function', function: { name: 'f' } })).toEqual([{ name: 'f', kind: 'function' }])
  })

  it('that the provider would run are listed by their type', () => {
    const tools = [{ type: 'web_search_preview' }, { type: 'code_interpreter', container: {} }, FUNCTION]
    const conversation = conversationOf({ tools, web_search_options: {} })
    expect(conversation.hostedTools).toEqual(['web_search_preview', 'code_interpreter', 'web_search'])
    expect(conversation.tools).toHaveLength(1)
  })

  it('keep their cache marks', () => {
    expect(toolsOf({ ...FUNCTION, cache_control: { type: 'ephemeral' } })).toMatchObject([{ cacheMark: {} }])
  })

  it.each([
    [{ tools: [{}] }, 'tools[0].name'],
    [{ tools: [FUNCTION, { type: 'function' }] }, 'tools[1].name'],
    [{ tools: [{ type: 'function', function: { name: '' } }] }, 'tools[0].function.name'],
    [{ tools: [{ type: 'function', function: { name: 'f', parameters: [] } }] }, 'tools[0].function.parameters'],
    [{ tools: [{ type: 'custom', custom: {} }] }, 'tools[0].custom.name'],
    [{ tools: [{ type: 'custom' }] }, 'tools[0].name'],
    [{ functions: [5] }, 'functions[0]'],
    [{ functions: {} }, 'functions'],
  ])('are refused where they are wrong: %j', (body, param) => {
    expect(refusalOf(body)).toMatchObject({ code: 'invalid_request', param })
  })
})

describe('the choice of a tool', () => {
  const choose = (choice: unknown) => conversationOf({ tools: [FUNCTION, { type: 'web_search' }], tool_choice: choice })

  it.each([
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'required' }],
    [{ type: 'any' }, { type: 'required' }],
    [
      { type: 'function', function: { name: 'f' } },
      { type: 'tool', name: 'f' },
    ],
    [
      { type: 'function', name: 'f' },
      { type: 'tool', name: 'f' },
    ],
    [
      { type: 'custom', custom: { name: 'f' } },
      { type: 'tool', name: 'f' },
    ],
    [
      { type: 'tool', name: 'f' },
      { type: 'tool', name: 'f' },
    ],
    [{ type: 'web_search' }, { type: 'hosted', name: 'web_search' }],
  ])('%j is understood', (choice, expected) => {
    expect(choose(choice).toolChoice).toEqual(expected)
  })

  it('of nothing is named', () => {
    expect(choose({ type: 'function' })).toMatchObject({ toolChoice: undefined, dropped: ['tool_choice'] })
  })

  it('of a tool that is not there is refused', () => {
    const refusal = refusalOf({ tools: [FUNCTION], tool_choice: { type: 'function', function: { name: 'g' } } })
    expect(refusal).toMatchObject({ code: 'invalid_request', param: 'tool_choice' })
    expect(refusalOf({ functions: [], function_call: { name: 'g' } }).param).toBe('function_call')
  })

  it.each([
    { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [FUNCTION] } },
    { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
  ])('among some leaves the others out: %j', (choice) => {
    const other = { type: 'function', function: { name: 'g' } }
    const conversation = conversationOf({ tools: [other, FUNCTION, { type: 'web_search' }], tool_choice: choice })
    expect(conversation).toMatchObject({ toolChoice: { type: 'required' }, hostedTools: [] })
    expect(conversation.tools).toEqual([KNOWN])
  })

  it('among some keeps those that the provider runs', () => {
    const choice = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'web_search' }] } }
    expect(choose(choice)).toMatchObject({ tools: [], hostedTools: ['web_search'], toolChoice: { type: 'auto' } })
  })
})
