// The responses format, as its clients speak it.

import { tokenCount } from '#core/usage.ts'
import type { ClientDialect } from '#dialect/dialect.ts'
import { openAiEndpoint } from '#dialect/openai-endpoint.ts'
import { PassAnswer } from '#dialect/pass-answer.ts'
import { PassStream } from '#dialect/pass-stream.ts'
import { CODEX_MODELS } from '#dialect/responses/codex-models.ts'
import { COMPACT, isCompactedBy } from '#dialect/responses/compaction.ts'
import { editResponsesRequest } from '#dialect/responses/edit-request.ts'
import { toldRefusal } from '#dialect/responses/errors.ts'
import { passKeeper } from '#dialect/responses/kept-pass.ts'
import { mendResponsesPass } from '#dialect/responses/mend-pass.ts'
import { askedIn, namesIn, recallResponses } from '#dialect/responses/recall.ts'
import { readResponsesRequest } from '#dialect/responses/read-request.ts'
import { readResponsesConversation } from '#dialect/responses/read-turns.ts'
import { MESSAGE } from '#dialect/responses/socket-message.ts'
import { keepingTap } from '#dialect/responses/tap-answer.ts'
import { ResponsesTap } from '#dialect/responses/tap-stream.ts'
import { writeResponsesAnswer } from '#dialect/responses/write-answer.ts'
import { ResponsesStreamWriter } from '#dialect/responses/write-stream.ts'

export const RESPONSES_FORMAT: ClientDialect = {
  ...openAiEndpoint('/responses'),
  kind: 'chat',
  // Codex does all of this.
  readsOverflowInStream: true,
  told: toldRefusal,
  webSocket: MESSAGE,
  special: { paths: ['/v1/responses/compact', '/responses/compact'], asked: COMPACT },
  models: CODEX_MODELS,
  // No provider says what a search cost. Codex shows the refusal to its model and goes on; of a status above 499 it would ask again.
  missing: {
    paths: ['/v1/alpha/search', '/alpha/search'],
    says: 'There is no web search here. Go on without it, and do not search again.',
  },
  passesTo: ['responses'],
  readRequest: readResponsesRequest,
  isUnderstood: isCompactedBy,
  mendPass: mendResponsesPass,
  editRequest: editResponsesRequest,
  naming: { namesIn, recall: recallResponses, askedIn },
  newPassReader: (request, keep) =>
    request.isStream
      ? new PassStream(new ResponsesTap(request, passKeeper(request, 'latin1', keep)))
      : new PassAnswer(keepingTap(passKeeper(request, 'utf8', keep))),
  readConversation: readResponsesConversation,
  newStreamWriter: (context) => new ResponsesStreamWriter(context),
  writeAnswer: writeResponsesAnswer,
  count: {
    paths: ['/v1/responses/input_tokens', '/responses/input_tokens'],
    path: '/responses/input_tokens',
    readRequest: readResponsesRequest,
    readCount: (answer) => tokenCount(answer['input_tokens']),
    writeAnswer: (inputTokens) => JSON.stringify({ object: 'response.input_tokens', input_tokens: inputTokens }),
  },
}
