import { expect, it } from 'vitest'
import { refuse } from '#core/refusal.ts'
import { codedError, retryHeaders } from '#dialect/errors.ts'

it.each([
  [17, '17'],
  [0, '1'],
  [-5, '1'],
  [86_400, '86400'],
  [251_607_047_031, '86400'],
])('a wait of %i seconds is told as %s', (retryAfterSeconds, told) => {
  const refusal = refuse('rate_limited', 'Too many.', { retryAfterSeconds })
  expect(retryHeaders(refusal)).toEqual({ 'retry-after': told })
})

it.each([
  ['{"error":{"message":"No."}}', '{"error":{"message":"No.","code":404}}'],
  ['{"error":{}}', '{"error":{"code":404}}'],
  [
    '{ "n": 1e400,\n "error" : { "code" : null , "message": "\\u004eo" } }',
    '{ "n": 1e400,\n "error" : { "code" : 404 , "message": "\\u004eo" } }',
  ],
  ['{"error":{"code":null,"code":null}}', '{"error":{"code":404}}'],
  ['{"error":{"code":"model_not_found"}}', '{"error":{"code":"model_not_found"}}'],
  ['{"error":{"code":0}}', '{"error":{"code":0}}'],
  ['{"error":"No."}', '{"error":"No."}'],
  ['{"detail":"No."}', '{"detail":"No."}'],
  ['[{"error":{}}]', '[{"error":{}}]'],
  ['No.', 'No.'],
])('the error %s of a provider with status 404 is passed on as %s', (body, passed) => {
  expect(codedError(Buffer.from(body), 404).toString()).toBe(passed)
})
