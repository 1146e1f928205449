import { describe, expect, it } from 'vitest'
import { providerWords, wordsOfBody } from '#dialect/provider-words.ts'

const PAGE = '<!DOCTYPE html><html><body>Bad gateway</body></html>'

/** What sends it, the body, and what it says. */
const BODIES: readonly (readonly [string, unknown, object])[] = [
  [
    'OpenAI',
    { error: { message: 'No.', type: 't', param: 'top_k', code: 'c' } },
    { message: 'No.', type: 't', param: 'top_k', code: 'c' },
  ],
  [
    'Anthropic',
    { type: 'error', error: { type: 'invalid_request_error', message: 'No.' } },
    { message: 'No.', type: 'invalid_request_error' },
  ],
  ['Google', [{ error: { code: 400, message: 'No.', status: 'X' } }], { message: 'No.' }],
  ['Ollama', { error: 'No.' }, { message: 'No.' }],
  [
    'vLLM',
    { object: 'error', message: 'No.', type: 'BadRequestError', param: null, code: 400 },
    { message: 'No.', type: 'BadRequestError' },
  ],
  [
    'FastAPI, one reason',
    {
      detail: [
        {
          loc: ['body', 'tool_choice'],
          msg: 'Input should be a valid string',
          type: 'string_type',
          input: { secret: 1 },
        },
      ],
    },
    { message: 'tool_choice: Input should be a valid string', param: 'tool_choice' },
  ],
  [
    'FastAPI, several reasons',
    {
      detail: [
        { loc: ['body', 'messages', 0, 'content'], msg: 'Field required', type: 'missing' },
        { loc: ['body', 'n'], msg: 'Input should be less than 2' },
        { loc: ['body', 'n'], msg: 'Input should be less than 2' },
      ],
    },
    { message: 'messages[0].content: Field required; n: Input should be less than 2', param: 'messages[0].content' },
  ],
  ['FastAPI, no place', { detail: [{ loc: ['body'], msg: 'Field required' }] }, { message: 'Field required' }],
  ['FastAPI, a query', { detail: [{ loc: ['query', 'beta'], msg: 'No.' }] }, { message: 'beta: No.', param: 'beta' }],
  ['FastAPI, a text', { detail: 'Model not loaded' }, { message: 'Model not loaded' }],
  ['FastAPI, an object', { detail: { error: { message: 'No.' } } }, { message: 'No.' }],
  ['a list of texts', { errors: ['One.', 'Two.'] }, { message: 'One.; Two.' }],
  ['a list of objects', { errors: [{ message: 'One.' }, { detail: 'Two.' }] }, { message: 'One.; Two.' }],
  ['a bare message', { message: 'No.' }, { message: 'No.' }],
  [
    'NestJS',
    { statusCode: 400, message: ['a must be b', 'c must be d'], error: 'Bad Request' },
    { message: 'Bad Request: a must be b; c must be d' },
  ],
  [
    'a problem document',
    { type: 'about:blank', title: 'Not acceptable.', status: 400, detail: 'Images are not taken.' },
    { message: 'Not acceptable: Images are not taken.', type: 'about:blank' },
  ],
  ['a problem document with a title alone', { title: 'Not acceptable.', status: 400 }, { message: 'Not acceptable.' }],
  ['an error in an error', { error: { error: { message: 'No.', param: 'n' } } }, { message: 'No.', param: 'n' }],
  ['AWS', { Message: 'No.' }, { message: 'No.' }],
]

describe('the reason in an error', () => {
  it.each(BODIES)('is read as %s tells it', (_sender, body, said) => {
    expect(providerWords(body)).toEqual(said)
    expect(wordsOfBody(JSON.stringify(body), 'application/problem+json')).toEqual(said)
  })

  it.each([
    null,
    1,
    '',
    [],
    {},
    { error: null },
    { error: {} },
    { detail: [] },
    { detail: [{ loc: ['body', 'n'] }] },
    { error: PAGE },
    { detail: '   ' },
    { wrong: true },
    { status: 400, code: 'no' },
  ])('is not there in %j', (body) => {
    expect(providerWords(body)).toBeUndefined()
  })

  it('is what a text says, and never a page', () => {
    expect(wordsOfBody(' Bad request. \n', 'text/plain; charset=utf-8')).toEqual({ message: 'Bad request.' })
    expect(wordsOfBody('Bad request.', '')).toEqual({ message: 'Bad request.' })
    expect(wordsOfBody(PAGE, 'text/plain')).toBeUndefined()
    expect(wordsOfBody('Bad request.', 'text/html')).toBeUndefined()
    expect(wordsOfBody('\u0000\u0001', 'text/plain')).toBeUndefined()
    expect(wordsOfBody('', 'text/plain')).toBeUndefined()
  })

  it('is bounded', () => {
    const long = 'x'.repeat(100_000)
    expect(providerWords({ error: { message: long } })?.message).toHaveLength(2000)
    expect(
      providerWords({ detail: Array.from({ length: 5000 }, () => ({ loc: ['body', long], msg: long })) })?.message,
    ).toHaveLength(2000)
    let deep: unknown = 'No.'
    for (let depth = 0; depth < 1000; depth++) deep = { error: deep }
    expect(providerWords(deep)).toBeUndefined()
  })
})
