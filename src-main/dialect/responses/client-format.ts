// The responses format, as its clients speak it.

import type { ClientDialect } from '#dialect/dialect.ts'
import { openAiEndpoint } from '#dialect/openai-endpoint.ts'
import { editResponsesRequest } from '#dialect/responses/edit-request.ts'
import { toldRefusal } from '#dialect/responses/errors.ts'
import { mendResponsesPass } from '#dialect/responses/mend-pass.ts'
import { ResponsesPassAnswer } from '#dialect/responses/pass-answer.ts'
import { ResponsesPassStream } from '#dialect/responses/pass-stream.ts'
import { readResponsesRequest } from '#dialect/responses/read-request.ts'
import { readResponsesConversation } from '#dialect/responses/read-turns.ts'
import { writeResponsesAnswer } from '#dialect/responses/write-answer.ts'
import { ResponsesStreamWriter } from '#dialect/responses/write-stream.ts'

export const RESPONSES_FORMAT: ClientDialect = {
  ...openAiEndpoint('/responses'),
  kind: 'chat',
  // Codex does all of this.
  readsOverflowInStream: true,
  told: toldRefusal,
  triesWebSocket: true,
  passesTo: ['responses'],
  readRequest: readResponsesRequest,
  mendPass: mendResponsesPass,
  editRequest: editResponsesRequest,
  newPassReader: (request) => (request.isStream ? new ResponsesPassStream(request) : new ResponsesPassAnswer()),
  readConversation: readResponsesConversation,
  newStreamWriter: (context) => new ResponsesStreamWriter(context),
  writeAnswer: writeResponsesAnswer,
}
