// Streams.

import { actionsOf, forHolders, forMembers } from '#contract/actions/action.ts'

export const STREAMS = actionsOf('Overview and usage', {
  events: forHolders('GET /api/events', 'Tells of calls and changes as they happen.'),
  tryIt: forMembers('POST /api/try', 'Makes a test request with a key and passes the answer on as it comes.', {
    body: 'TryBody',
    example: {
      key: 'laptop',
      endpoint: 'chat',
      request: { model: 'demo-chat', messages: [{ role: 'user', content: 'Hello' }] },
    },
    refusals: [402, 424, 429, 502, 504],
  }),
})
