import { describe, expect, it } from 'vitest'
import { judgementIn } from '#core/judgements.ts'

/** Server, what it says, and what of it may be kept. */
const REQUESTS: readonly (readonly [server: string, said: string, kept?: string])[] = [
  [
    'llama-server, an image',
    'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
  ],
  [
    'llama-server, a sound',
    'audio input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
  ],
  [
    'llama-server, an embedding',
    'input (5002 tokens) is too large to process. increase the physical batch size (current batch size: 512)',
  ],
  ['llama-server, older', 'input is too large to process. increase the physical batch size'],
  [
    'llama-server, embeddings',
    'This server does not support embeddings. Start it with `--embeddings`',
    'does not support embeddings. Start it with `--embeddings`',
  ],
  ['llama-server, tools', 'tools param requires --jinja flag'],
  ['llama-server, older tools', 'Unsupported param: tools'],
  ['llama-server, parts', 'unsupported content[].type'],
  [
    'a template',
    'Jinja Exception: After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
    'conversation roles must alternate user/assistant/user/assistant/...',
  ],
  ['vLLM, an image', 'my-model is not a multimodal model', 'is not a multimodal model'],
  [
    'vLLM, images',
    'At most 0 image(s) may be provided in one prompt.',
    'At most 0 image(s) may be provided in one prompt',
  ],
  ['vLLM, tools', '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  ['Ollama, tools', 'registry.ollama.ai/library/llama2:13b does not support tools', 'does not support tools'],
  ['Ollama, a kind of model', '"llava:7b" does not support generate', 'does not support generate'],
  ['LM Studio', 'Model does not support images. Please use a model that does.', 'does not support images'],
  ['Portkey', 'messages is not supported by openai'],
  ['Portkey, responses', 'createModelResponse is not supported by ollama'],
  ['mlx-lm', "Only 'text' content type is supported.", "Only 'text' content type is supported"],
]

describe('words that judge a request', () => {
  it.each(REQUESTS.map(([server, said, kept = said]) => ({ server, said, kept })))(
    'are known of $server',
    ({ said, kept }) => {
      expect(judgementIn(said)).toEqual({ about: 'request', words: kept })
    },
  )

  it.each([
    "error parsing tool call: raw='{}]', err=invalid character",
    'Failed to parse input at pos 395: <|tool_call_start|>',
    'The model produced output that does not match the expected peg-native format',
    'openai_harmony.HarmonyError: Unexpected token 12606 while expecting start token 200006',
    'unexpected tokens remaining in message header: Some("to=f")',
    'Model produced invalid sequence as part of ToolUse. Please refer to the guide.',
  ])('are told from those about what a model wrote: %s', (said) => {
    expect(judgementIn(said)?.about).toBe('output')
  })

  it('are kept without what stands around them', () => {
    const judgement = judgementIn('In "my private prompt 4711": image input is not supported, my private prompt')
    expect(judgement?.words).toBe('image input is not supported')
  })

  it.each(['No connected db.', 'no connected db', 'API key not valid. Please pass a valid API key.'])(
    'are told from those about our secret: %s',
    (said) => {
      expect(judgementIn(said)?.about).toBe('secret')
    },
  )

  it.each([
    '',
    'Internal Server Error',
    'The server had an error while processing your request. Sorry about that!',
    'Loading model',
    'CUDA out of memory',
    'upstream connect error or disconnect/reset before headers',
    'The model `no connected db.` does not exist',
    'slot unavailable',
    'does not support this',
    'Weather is not supported by clouds',
    'Service temporarily unavailable: image registry',
    'failed to decode image batch, the backend crashed',
  ])('are not %j', (said) => {
    expect(judgementIn(said)).toBeUndefined()
  })

  it.each(['9', ' ', '(9', 'input (', 'does not support ', 'conversation roles must alternate /'])(
    'are looked for in time in a long message of %j',
    { timeout: 5000 },
    (piece) => {
      judgementIn(piece.repeat(1_000_000))
    },
  )
})
