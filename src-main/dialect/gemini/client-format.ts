// The Gemini format, as its clients speak it.

import type { ClientDialect } from '#dialect/dialect.ts'
import { editGeminiRequest } from '#dialect/gemini/edit-request.ts'
import { BELOW, GEMINI_ENDPOINT } from '#dialect/gemini/endpoint.ts'
import { mendGeminiPass } from '#dialect/gemini/mend-pass.ts'
import { GEMINI_KEY_HEADER, GEMINI_MODELS } from '#dialect/gemini/model-views.ts'
import { GENERATE, readGeminiCountRequest, readGeminiRequest, STREAM } from '#dialect/gemini/read-request.ts'
import { readGeminiConversation } from '#dialect/gemini/read-turns.ts'
import { GEMINI_ANSWER_TAP } from '#dialect/gemini/tap-answer.ts'
import { GeminiTap } from '#dialect/gemini/tap-stream.ts'
import { writeGeminiAnswer } from '#dialect/gemini/write-answer.ts'
import { modelPath, readGeminiCount } from '#dialect/gemini/write-request.ts'
import { inArray } from '#dialect/gemini/stream-frame.ts'
import { vertexCount } from '#dialect/gemini/vertex.ts'
import { GeminiStreamWriter } from '#dialect/gemini/write-stream.ts'
import { PassAnswer } from '#dialect/pass-answer.ts'
import { PassStream } from '#dialect/pass-stream.ts'

const PATHS = ['/v1beta']
const COUNT = 'countTokens'

export const GEMINI_FORMAT: ClientDialect = {
  ...GEMINI_ENDPOINT,
  paths: PATHS,
  operation: 'generate_content',
  methods: { below: BELOW, names: [GENERATE, STREAM], keyHeader: GEMINI_KEY_HEADER },
  // A stream is always asked for as events; what the client gets of it may be an array.
  path: (model, isStream) => `/${modelPath(model)}:${isStream ? `${STREAM}?alt=sse` : GENERATE}`,
  models: GEMINI_MODELS,
  framedError: (body, { method, isEvents }) => (method === STREAM && !isEvents ? inArray(body) : body),
  kind: 'chat',
  passesTo: ['gemini'],
  readRequest: readGeminiRequest,
  mendPass: mendGeminiPass,
  editRequest: editGeminiRequest,
  newPassReader: (request) =>
    request.isStream ? new PassStream(new GeminiTap(request)) : new PassAnswer(GEMINI_ANSWER_TAP),
  readConversation: readGeminiConversation,
  newStreamWriter: (context) => new GeminiStreamWriter(context),
  writeAnswer: writeGeminiAnswer,
  count: {
    paths: PATHS,
    methods: { below: BELOW, names: [COUNT] },
    path: (model) => `/${modelPath(model)}:${COUNT}`,
    readRequest: readGeminiCountRequest,
    wrap: (request, model, platform) => {
      if (platform === 'vertex') return vertexCount(request)
      const named = `{"model":${JSON.stringify(decodeURIComponent(modelPath(model)))},${request.slice(request.indexOf('{') + 1)}`
      return `{"generateContentRequest":${named}}`
    },
    readCount: readGeminiCount,
    writeAnswer: (totalTokens) => JSON.stringify({ totalTokens }),
  },
}
