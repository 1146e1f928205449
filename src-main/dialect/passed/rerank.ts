// Reranking: how much each of several documents has to do with a query. There is no vendor whom all copied: requests differ in what is
// beside the query and the documents, answers in the name of their list.

import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import type { PassedDialect, PassedRequest } from '#dialect/passed-dialect.ts'
import { openAiEndpoint } from '#dialect/openai-endpoint.ts'
import { PassAnswer } from '#dialect/pass-answer.ts'
import { listTap } from '#dialect/passed/list-tap.ts'
import { plainRequest } from '#dialect/passed/plain-request.ts'
import { checkFields, countRule, isRecord, parseBody, readModel, type BodyText } from '#dialect/request-body.ts'

const MAX_DOCUMENTS = 10_000
const DOCUMENTS_OF_SEARCH = 100
const PIECE_TOKENS = 500
const RULES = ['top_n', 'top_k', 'max_tokens_per_doc'].map((name) => countRule(name, Number.MAX_SAFE_INTEGER))
const TAP = listTap(['results', 'data'], 'a ranking')

export const RERANK: PassedDialect = {
  ...openAiEndpoint('/rerank'),
  kind: 'rerank',
  family: 'rerank',
  makes: 'reranking',
  readRequest: readRerankRequest,
}

function readRerankRequest(text: BodyText, byteLength: number): PassedRequest | Refusal {
  const body = parseBody(text, byteLength)
  if (isRefusal(body)) return body
  const model = readModel(body.value)
  if (isRefusal(model)) return model
  const { query, documents } = body.value
  const problem = checkQuery(query) ?? checkDocuments(documents) ?? checkFields(body.value, RULES)
  if (problem !== undefined) return problem
  const inputs = Array.isArray(documents) ? documents.length : 1
  const queryBytes = Buffer.byteLength(typeof query === 'string' ? query : JSON.stringify(query))
  // What is no text may be an image, or stand somewhere else.
  const isPlain = [query, documents].flat().every(isText)
  const references = () => (isPlain ? [] : ['a document that is no text'])
  return {
    ...plainRequest(model, body),
    // The query is read beside each document.
    inputCount: inputs,
    isLone: false,
    rereadBytes: (inputs - 1) * queryBytes,
    references,
    units: { search: mostSearches(body.byteLength, inputs, queryBytes) },
    newReader: () => new PassAnswer(TAP),
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || (isRecord(value) && Object.keys(value).join() === 'text')
}

function checkQuery(query: unknown): Refusal | undefined {
  const wrong = (says: string) => refuse('invalid_request', `'query' ${says}.`, { param: 'query' })
  if (query === undefined || query === null) return wrong('is required')
  return (typeof query === 'string' && query !== '') || isRecord(query)
    ? undefined
    : wrong('must be a non-empty string')
}

function checkDocuments(documents: unknown): Refusal | undefined {
  const wrong = (says: string) => refuse('invalid_request', `'documents' ${says}.`, { param: 'documents' })
  if (documents === undefined || documents === null) return wrong('is required')
  if (!Array.isArray(documents) || documents.length === 0) return wrong('must be a non-empty array')
  if (documents.length > MAX_DOCUMENTS) return wrong(`must have at most ${MAX_DOCUMENTS} items`)
  const isList = documents.every((item) => typeof item === 'string' || isRecord(item))
  return isList ? undefined : wrong('must be an array of strings or objects')
}

/** A search is up to a hundred documents. A longer one counts as several: a piece has 500 tokens, each of a byte at least, with the query. */
function mostSearches(bytes: number, documents: number, queryBytes: number): number {
  const pieceBytes = Math.max(1, PIECE_TOKENS - queryBytes)
  return Math.ceil((documents + Math.floor(bytes / pieceBytes)) / DOCUMENTS_OF_SEARCH)
}
