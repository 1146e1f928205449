// Amazon Bedrock's Converse: the words of messages in another shape, signed requests, and a stream in binary frames, which
// arrive here as server-sent events that have the name of the frame.

import { readConverseAnswer } from '#dialect/bedrock-converse/read-answer.ts'
import { readConverseError } from '#dialect/bedrock-converse/errors.ts'
import { ConversePartReader } from '#dialect/bedrock-converse/read-stream.ts'
import { modelPath, writeConverseRequest } from '#dialect/bedrock-converse/write-request.ts'
import type { ProviderDialect } from '#dialect/dialect.ts'
import { recordOf } from '#dialect/foreign-bodies.ts'

export const CONVERSE_DIALECT: ProviderDialect = {
  secretHeader: 'authorization',
  signing: 'aws',
  headers: { accept: 'application/vnd.amazon.eventstream, application/json' },
  quirks: {
    laterSystem: 'user',
    cacheMarks: true,
    topK: true,
    maxStops: 64,
    parallelToolCalls: false,
    jsonSchema: false,
  },
  // The list of models is at another host, to which the secret does not go.
  form: {
    dialect: 'bedrock-converse',
    isList: () => false,
    isError: (body) => typeof recordOf(body)['__type'] === 'string',
    isProof: () => true,
  },
  probe: {
    prefixes: [],
    namesModelInPath: true,
    path: (model) => `${modelPath(model)}/converse`,
    body: ({ prompt, outputTokens }) => ({
      messages: [{ role: 'user', content: [{ text: prompt }] }],
      inferenceConfig: { maxTokens: outputTokens },
    }),
  },
  writeRequest: writeConverseRequest,
  newPartReader: (newCallId, generated) => new ConversePartReader(newCallId, generated),
  readAnswer: readConverseAnswer,
  readError: readConverseError,
}
