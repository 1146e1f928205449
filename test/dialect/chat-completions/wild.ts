// JSON values that are wrong in the ways that matter: the names and types that chat completions know, in the wrong places.

import fc from 'fast-check'

const NAMES =
  'messages tools functions tool_choice function_call stop response_format reasoning thinking user content role name ' +
  'reasoning_details reasoning_content tool_calls web_search_options metadata refusal tool_call_id type text image_url url ' +
  'file file_data input_audio function custom arguments input parameters input_schema format grammar definition id index ' +
  'allowed_tools mode json_schema schema cache_control extra_content google thought_signature signature data delta message ' +
  'finish_reason choices usage error annotations url_citation x_groq stop_reason summary prompt_tokens'

const TEXTS =
  'system developer user assistant tool function text image_url file input_audio refusal thinking custom allowed_tools ' +
  'auto required json_schema json_object reasoning.text reasoning.summary reasoning.encrypted url_citation length stop ' +
  'tool_calls error f data:image/png;base64,AAAA https://a.b farebox1.messages.x {} {"a":1} {"a'

const names = fc.constantFrom(...NAMES.split(' '))
const leaf = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS.split(' ')) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', null, true, false, 0, 1, -1, 2.5, 1e300) },
)

const { value, object } = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(names, tie('value'), { maxKeys: 5 }),
}))

export const wildValue = value
export const wildObject = object

/** Right most of the time, so that what is wrong is met deep inside. */
function mostly<Value>(right: fc.Arbitrary<Value>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: right }, { weight: 1, arbitrary: wildValue })
}

function anyOf(...members: readonly fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown> {
  return fc.oneof(...members)
}

function record(members: Readonly<Record<string, fc.Arbitrary<unknown>>>, required: readonly string[] = []) {
  return fc.record(members, { requiredKeys: [...required] })
}

const words = mostly(fc.constantFrom('', 'a', 'Hi there', 'é🚀', '\ud800'))
const ids = mostly(fc.constantFrom('call_1', 'call_2', 'call_3', 'toolu_01!'))
const toolNames = mostly(fc.constantFrom('f', 'g'))
const argumentTexts = mostly(fc.constantFrom('', '{}', '{"a":1}', '{"a', '[1]'))
const data = fc.constantFrom('data:image/png;base64,AAAA', 'data:application/pdf;base64,AAAA', 'https://a.b/c')

const part = anyOf(
  record({ type: fc.constant('text'), text: words, cache_control: fc.constant({ type: 'ephemeral' }) }, [
    'type',
    'text',
  ]),
  record({ type: fc.constant('image_url'), image_url: record({ url: mostly(data) }, ['url']) }, ['type', 'image_url']),
  record({ type: fc.constant('file'), file: record({ file_data: mostly(data) }, ['file_data']) }, ['type', 'file']),
)
const texts = record({ type: fc.constantFrom('text'), text: words }, ['type', 'text'])
const details = record(
  {
    type: fc.constantFrom('reasoning.text', 'reasoning.summary', 'reasoning.encrypted'),
    text: words,
    summary: words,
    data: words,
    signature: mostly(fc.constantFrom('', 's', 'farebox1.messages.s')),
  },
  ['type'],
)
const called = record({ name: toolNames, arguments: argumentTexts }, ['name'])
const toolCall = record({ id: ids, type: fc.constant('function'), function: mostly(called) }, ['id', 'function'])
const mark = fc.constant({ type: 'ephemeral', ttl: '1h' })

function contentOf(own: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return anyOf(words, mostly(fc.array(own, { maxLength: 3 })))
}

const message = anyOf(
  record({ role: fc.constantFrom('system', 'developer'), content: contentOf(texts), cache_control: mark }, [
    'role',
    'content',
  ]),
  record({ role: fc.constant('user'), content: contentOf(part), cache_control: mark }, ['role', 'content']),
  record(
    {
      role: fc.constant('assistant'),
      content: anyOf(contentOf(texts), fc.constant(null)),
      refusal: words,
      tool_calls: mostly(fc.array(toolCall, { maxLength: 3 })),
      function_call: mostly(called),
      reasoning_content: words,
      reasoning_details: mostly(fc.array(details, { maxLength: 2 })),
      cache_control: mark,
    },
    ['role'],
  ),
  record({ role: fc.constant('tool'), tool_call_id: ids, content: contentOf(part), cache_control: mark }, [
    'role',
    'tool_call_id',
  ]),
  record({ role: fc.constant('function'), name: toolNames, content: words }, ['role', 'name']),
)

/** Messages in any order, most of them right. */
export const someMessages: fc.Arbitrary<unknown> = fc.array(message, { minLength: 1, maxLength: 10 })

const tool = anyOf(
  record({
    type: fc.constant('function'),
    function: record({ name: toolNames, parameters: mostly(wildObject) }, ['name']),
  }),
  record({ name: toolNames, input_schema: mostly(wildObject), type: fc.constantFrom('custom', 'function') }, ['name']),
  record({ type: fc.constantFrom('web_search', 'custom'), name: toolNames, format: wildValue }, ['type', 'name']),
)

/** Other members of a request, most of them right. */
export const someMembers: fc.Arbitrary<Record<string, unknown>> = record({
  tools: mostly(fc.array(tool, { maxLength: 3 })),
  tool_choice: anyOf(fc.constantFrom('auto', 'required'), wildObject),
  response_format: anyOf(fc.constant({ type: 'json_schema', json_schema: { schema: {} } }), wildValue),
  stop: mostly(fc.array(words, { maxLength: 6 })),
  reasoning: wildValue,
  thinking: wildValue,
  user: words,
  metadata: wildValue,
})

/** What a delta or a message of an answer may hold, most of it right. */
export const someDelta: fc.Arbitrary<Record<string, unknown>> = record({
  role: fc.constant('assistant'),
  content: anyOf(words, fc.constant(null), fc.array(anyOf(texts, wildObject), { maxLength: 2 })),
  refusal: fc.constantFrom(null, '', 'No.'),
  reasoning_content: words,
  reasoning: words,
  reasoning_details: mostly(fc.array(details, { maxLength: 2 })),
  annotations: fc.array(anyOf(fc.constant({ url_citation: { url: 'https://a.b' } }), wildValue), { maxLength: 2 }),
  tool_calls: mostly(
    fc.array(
      record({
        index: fc.constantFrom(0, 0, 1, 2, null),
        id: fc.constantFrom('a', 'b', '', null),
        function: record({ name: fc.constantFrom('f', 'g', ''), arguments: argumentTexts }),
      }),
      { maxLength: 3 },
    ),
  ),
})
