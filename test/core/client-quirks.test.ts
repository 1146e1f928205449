import { describe, expect, it } from 'vitest'
import { clientQuirks } from '#core/client-quirks.ts'

describe('the code of an error', () => {
  it.each([
    ['openai-java', { 'user-agent': 'OpenAIClientImpl/Java 4.101.0' }],
    ['openai-java, asynchronous', { 'user-agent': 'OpenAIClientAsyncImpl/Java 4.101.0' }],
    ['openai-java under a name of its own', { 'user-agent': 'shop/1.0', 'x-stainless-lang': 'java' }],
    ['async-openai', { 'user-agent': 'async-openai' }],
    ['async-openai with its version', { 'user-agent': 'async-openai/0.43.0' }],
    ['async-openai without a name', { accept: '*/*' }],
  ])('is a text for %s', (_client, headers) => {
    expect(clientQuirks(headers).errorCode).toBe('text')
  })

  it.each([
    ['nobody', {}],
    ['curl', { 'user-agent': 'curl/8.5.0', accept: '*/*' }],
    ['the OpenAI SDK of Python', { 'user-agent': 'OpenAI/Python 1.109.1', 'x-stainless-lang': 'python' }],
    [
      'the OpenAI SDK of JavaScript',
      { 'user-agent': 'OpenAI/JS 6.1.0', 'x-stainless-lang': 'js', accept: 'application/json' },
    ],
    ["Anthropic's SDK of Java", { 'user-agent': 'AnthropicClientImpl/Java 3.12.0', 'x-stainless-lang': 'java' }],
    ['openai-go', { 'user-agent': 'OpenAI/Go 2.7.0', 'x-stainless-lang': 'go' }],
    ['Codex', { 'user-agent': 'codex_cli_rs/0.169.0' }],
    ['a header that came twice', { 'user-agent': ['async-openai', 'x'] }],
  ])('is the number of the contract for %s', (_client, headers) => {
    expect(clientQuirks(headers).errorCode).toBe('number')
  })
})
