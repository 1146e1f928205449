// What requests have in common of which only the model's name is edited.

import type { PassedEdits, PassedRequest } from '#dialect/passed-dialect.ts'
import { editObject } from '#dialect/json-text.ts'
import type { RequestBody } from '#dialect/request-body.ts'

type PlainRequest = Omit<PassedRequest, 'newReader' | 'inputCount' | 'isLone' | 'references'>

/** A request that generates no text. */
export function plainRequest(model: string, body: RequestBody): PlainRequest {
  const edit = ({ upstreamModel }: PassedEdits) => editObject(body.text, body.scan, renamed(model, upstreamModel))
  return { model, isStream: false, choices: 0, outputCap: undefined, tokenCount: undefined, body, edit }
}

/** The edits that give a request the name that a provider has for its model. */
export function renamed(model: string, upstreamModel: string): Map<string, string> {
  return new Map(upstreamModel === model ? [] : [['model', JSON.stringify(upstreamModel)]])
}
