import { describe, expect, it } from 'vitest'
import type { Tool } from '#dialect/turn.ts'
import { conversation, refusal } from './requests.ts'

function tools(...definitions: readonly unknown[]): readonly Tool[] {
  return conversation({ tools: definitions }).tools
}

describe('tools', () => {
  it('are functions, flat or nested, with the strictness that was said', () => {
    const parameters = { type: 'object', properties: {} }
    expect(
      tools(
        { type: 'function', name: 'a', description: 'A', parameters, strict: true },
        { type: 'function', function: { name: 'b', parameters, strict: false } },
        { name: 'c', input_schema: parameters },
        { type: 'function', name: 'd', parameters: null, strict: null },
      ),
    ).toEqual([
      { name: 'a', kind: 'function', description: 'A', parameters, isStrict: true },
      { name: 'b', kind: 'function', description: undefined, parameters, isStrict: false },
      { name: 'c', kind: 'function', description: undefined, parameters, isStrict: undefined },
      { name: 'd', kind: 'function', description: undefined, parameters: undefined, isStrict: undefined },
    ])
  })

  it('that take free text say what grammar it has', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' }
    const [tool] = tools({ type: 'custom', name: 'apply_patch', description: 'Patches.', format })
    expect(tool).toMatchObject({ kind: 'custom', parameters: { required: ['input'] } })
    expect(tool?.description).toBe('Patches.\n\nThe input must be text that fits this lark grammar:\nstart: "a"')
  })

  it('of a namespace keep it apart from their names', () => {
    const inner = [
      { type: 'function', name: 'a', description: 'A' },
      { type: 'custom', name: 'b' },
    ]
    expect(tools({ type: 'namespace', name: 'ns', description: 'All of ns.', tools: inner })).toMatchObject([
      { name: 'a', namespace: 'ns', description: 'All of ns.\n\nA' },
      { name: 'b', namespace: 'ns', kind: 'custom', description: undefined },
    ])
  })

  it("of the client itself are told from those of the provider's", () => {
    const read = conversation({
      tools: [
        { type: 'tool_search', execution: 'client', description: 'Finds.', parameters: { type: 'object' } },
        { type: 'local_shell' },
        { type: 'web_search', search_content_types: ['text'] },
        { type: 'web_search' },
        { type: 'image_generation' },
        { type: 'tool_search' },
        { type: 'shell' },
      ],
    })
    expect(read.tools).toMatchObject([
      { name: 'tool_search', kind: 'tool-search', description: 'Finds.' },
      { name: 'local_shell', kind: 'local-shell', parameters: { required: ['command'] } },
    ])
    expect(read.hostedTools).toEqual(['web_search', 'image_generation', 'tool_search', 'shell'])
  })

  it('that are named twice are kept once', () => {
    expect(tools({ type: 'function', name: 'a' }, { type: 'function', name: 'a' })).toHaveLength(1)
  })

  it.each<[string, unknown]>([
    ['tools[0].type', {}],
    ['tools[0].type', { type: 5, name: 'a' }],
    ['tools[0].name', { type: 'function' }],
    ['tools[0].function.name', { type: 'function', function: {} }],
    ['tools[0].name', { type: 'custom', name: '' }],
    ['tools[0].parameters', { type: 'function', name: 'a', parameters: 'x' }],
    ['tools[0].name', { type: 'namespace', tools: [] }],
    ['tools[0].tools', { type: 'namespace', name: 'ns' }],
    ['tools[0].tools[0].type', { type: 'namespace', name: 'ns', tools: [{ type: 'web_search' }] }],
    ['tools[0].tools[0].name', { type: 'namespace', name: 'ns', tools: [{ type: 'function' }] }],
  ])('are refused with the path of what is wrong: %s', (param, tool) => {
    expect(refusal({ tools: [tool] })).toMatchObject({ code: 'invalid_request', param })
  })
})

describe('the choice of a tool', () => {
  const definitions = [
    { type: 'function', name: 'a' },
    { type: 'custom', name: 'b' },
    {
      type: 'namespace',
      name: 'ns',
      tools: [
        { type: 'function', name: 'c' },
        { type: 'function', name: 'a' },
      ],
    },
    { type: 'local_shell' },
    { type: 'web_search' },
  ]
  const chosen = (choice: unknown) => conversation({ tools: definitions, tool_choice: choice })

  it.each<[unknown, unknown]>([
    [undefined, undefined],
    [null, undefined],
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'required' }],
    [
      { type: 'function', name: 'a' },
      { type: 'tool', name: 'a' },
    ],
    [
      { type: 'function', function: { name: 'a' } },
      { type: 'tool', name: 'a' },
    ],
    [
      { type: 'custom', name: 'b' },
      { type: 'tool', name: 'b' },
    ],
    [
      { type: 'function', name: 'c' },
      { type: 'tool', name: 'c', namespace: 'ns' },
    ],
    [
      { type: 'function', name: 'a', namespace: 'ns' },
      { type: 'tool', name: 'a', namespace: 'ns' },
    ],
    [{ type: 'local_shell' }, { type: 'tool', name: 'local_shell' }],
    [{ type: 'web_search' }, { type: 'hosted', name: 'web_search' }],
    [{ type: 'tool_search' }, { type: 'hosted', name: 'tool_search' }],
    [
      { type: 'mcp', server_label: 'x' },
      { type: 'hosted', name: 'mcp' },
    ],
  ])('%j', (choice, read) => {
    expect(chosen(choice).toolChoice).toEqual(read)
  })

  it('may allow only some tools, and the others are not offered then', () => {
    const allowed = [
      { type: 'custom', name: 'b' },
      { type: 'function', name: 'a', namespace: 'ns' },
      { type: 'web_search' },
    ]
    const read = chosen({ type: 'allowed_tools', mode: 'required', tools: allowed })
    expect(read.toolChoice).toEqual({ type: 'required' })
    expect(read.tools.map(({ name, namespace }) => [namespace, name])).toEqual([
      [undefined, 'b'],
      ['ns', 'a'],
    ])
    expect(read.hostedTools).toEqual(['web_search'])
    const whole = chosen({
      type: 'allowed_tools',
      mode: 'auto',
      tools: [{ type: 'namespace', name: 'ns' }, { type: 'local_shell' }],
    })
    expect(whole.tools.map(({ name }) => name)).toEqual(['c', 'a', 'local_shell'])
    expect(whole.hostedTools).toEqual([])
  })

  it.each<[string, unknown]>([
    ['tool_choice.type', {}],
    ['tool_choice.name', { type: 'function' }],
    ['tool_choice.mode', { type: 'allowed_tools', tools: [] }],
    ['tool_choice.tools', { type: 'allowed_tools', mode: 'auto', tools: ['a'] }],
  ])('is refused with the path of what is wrong: %s', (param, choice) => {
    expect(refusal({ tools: definitions, tool_choice: choice })).toMatchObject({ param })
  })
})
