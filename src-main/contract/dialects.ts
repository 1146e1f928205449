// The names of the wire formats, as plain data for every room: what clients speak and what providers speak. Each name stands
// for one line in the table of `dialect/dialects.ts`, which the compiler holds equal to these lists.

/** The formats that clients speak with models. */
export const CLIENT_FORMATS = ['chat', 'messages', 'responses', 'gemini', 'embeddings', 'gemini-embeddings'] as const
/** The formats of further endpoints, whose calls are passed on as they come to providers that have the same endpoint. */
export const PASSED_FORMATS = [
  'completions',
  'moderations',
  'rerank',
  'images',
  'image-edits',
  'image-variations',
  'speech',
  'transcriptions',
  'translations',
] as const
/** What a model is for. */
export const MODEL_KINDS = ['chat', 'embedding', 'rerank', 'moderation', 'image', 'speech', 'transcription'] as const
/** What providers can have beside conversations and embeddings. */
export const ROUTE_FAMILIES = ['completions', 'moderations', 'rerank', 'images', 'speech', 'transcriptions'] as const
/** The dialects that providers speak over the network. */
export const WIRE_DIALECTS = ['chat-completions', 'messages', 'responses', 'gemini', 'bedrock-converse'] as const
/** In place of a dialect for the provider that is built in. */
export const DEMO = 'demo'
/** What a provider can be set up as. */
export const PROVIDER_DIALECTS = [...WIRE_DIALECTS, DEMO] as const
