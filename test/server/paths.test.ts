import { describe, expect, it } from 'vitest'
import { noSuchPath, servedUrl } from '#server/http/paths.ts'

describe('the path that is served', () => {
  it.each([
    ['/', '/'],
    ['/?x=/', '/?x=/'],
    ['/v1/models', '/v1/models'],
    ['/v1/models/', '/v1/models'],
    ['/v1/models/?limit=1/', '/v1/models?limit=1/'],
    ['/v1/models/a/b/', '/v1/models/a/b'],
    ['/v1/v1/chat/completions', '/v1/chat/completions'],
    ['/v1/v1/chat/completions/', '/v1/chat/completions'],
    ['/v2/rerank', '/v1/rerank'],
    ['/v2/rerank/?a=b', '/v1/rerank?a=b'],
    ['/v2/reranking', '/v2/reranking'],
    ['/v2/chat', '/v2/chat'],
    ['/api/keys/a%2F/', '/api/keys/a%2F'],
    ['*', '*'],
    ['//', '/'],
    ['//v1/chat/completions', '/v1/chat/completions'],
    ['///v1////messages//?beta=true//', '/v1/messages?beta=true//'],
    ['/v1//v1/responses', '/v1/responses'],
    ['//v2//rerank', '/v1/rerank'],
    ['/v1beta//models/gemini:generateContent?alt=sse', '/v1beta/models/gemini:generateContent?alt=sse'],
    ['/v1/models//a//b//', '/v1/models/a//b'],
    ['//models///', '/models'],
    ['/v1%2F%2Fmessages', '/v1%2F%2Fmessages'],
    ['/v1/messages?next=//elsewhere', '/v1/messages?next=//elsewhere'],
    ['//api/hello', '/api/hello'],
    ['//api//keys', '/api//keys'],
    ['/api/keys//rotate', '/api/keys//rotate'],
    ['http://elsewhere//v1', 'http://elsewhere//v1'],
    ['', ''],
    ['http://elsewhere/', 'http://elsewhere'],
  ])('of %s is %s', (url, served) => {
    expect(servedUrl(url)).toBe(served)
  })

  it.each(['/', '/v1/models/'])('takes no time for a head full of slashes behind %s', (start) => {
    const startedMs = performance.now()
    expect(servedUrl(`${start}${'/'.repeat(16_000)}a${'/a'.repeat(8000)}`)).toMatch(/a$/)
    expect(performance.now() - startedMs).toBeLessThan(100)
  })
})

describe('a path that is not there', () => {
  const message = (url: string) => noSuchPath({ method: 'POST', url }).message

  it('is named, without its query', () => {
    expect(noSuchPath({ method: 'POST', url: '/v2/chat?token=secret#part' })).toMatchObject({
      code: 'not_found',
      message: 'There is no POST endpoint at /v2/chat.',
    })
  })

  it('is printable, bounded, and no place for a key', () => {
    expect(message('/a\u0000\u001b[31m\u00ff\u202e b')).toBe('There is no POST endpoint at /a??[31m???b.')
    expect(message(`/${'a'.repeat(5000)}`)).toBe(`There is no POST endpoint at /${'a'.repeat(119)}....`)
    expect(message('/v1/key_abcDEF123/models')).toBe('There is no POST endpoint at /v1/key_.../models.')
  })
})
