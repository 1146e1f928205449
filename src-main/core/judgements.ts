// What providers say that judges a request, a model's output or Farebox's secret, whatever status it comes with. Some servers answer 500 to a request
// that they can never serve, and a gateway answers 400 to a wrong secret: the number alone would blame the wrong one. Only words that
// were seen are known here, each as narrow as its sentence allows: a failure that is taken for a judgement is never tried again.

export type Judgement = {
  /** Whom it judges: the request, what the model wrote for it, or the secret that Farebox shows. */
  readonly about: 'request' | 'output' | 'secret'
  /** The known words as the provider wrote them: fixed words, counts and names of features, so that they may be kept. */
  readonly words: string
}

type KnownJudgement = { readonly about: Judgement['about']; readonly source: string; readonly words: RegExp }

/** What a model, a server or a provider can lack. Names that a client chose are none of them. */
const FEATURES =
  '(?:images?|image inputs?|vision|audio|audio inputs?|video|files?|documents?|multimodal(?: inputs?)?|tools?|tool (?:use|calls?|calling)|function calling|thinking|reasoning|embeddings?|completions?|chat(?: completions?)?|generate|infill|insert|rerank(?:ing)?|system (?:messages?|prompts?|role)|structured outputs?|json (?:mode|schema)|response_format|tool_choice|parallel_tool_calls|logprobs|streaming)'

const HINT = ' - hint: if this is unexpected, you may need to provide the mmproj'

const KNOWN: readonly KnownJudgement[] = [
  {
    about: 'request',
    source: 'llama-server: 500',
    words: new RegExp(`(?:image|audio|video) input is not supported(?:${HINT})?`, 'i'),
  },
  {
    about: 'request',
    source: 'llama-server, an embedding or a ranking over its batch: 500',
    words:
      /input(?: \(\d{1,9} tokens\))? is too (?:large|long) to process(?:\. ?increase the physical batch size(?: \(current batch size: \d{1,9}\))?)?/i,
  },
  {
    about: 'request',
    source: 'llama-server, tools or a template: 500',
    words: /tools? (?:param|call\w*) requires --jinja(?: flag)?/i,
  },
  {
    about: 'request',
    source: 'llama-server: 500',
    words: /unsupported (?:param: (?:tools|tool_choice|echo|suffix)|content\[\]\.type)/i,
  },
  { about: 'request', source: 'llama-server: 500', words: /failed to load image or audio file/i },
  { about: 'request', source: 'llama-server: 500', words: /cannot use custom grammar constraints with tools/i },
  {
    about: 'request',
    source: 'llama-server, 500 and 501; Ollama, 400 and 501; LM Studio, 400; one-api and others as 500',
    words: new RegExp(
      `does(?: not|n't) support ${FEATURES}\\b(?:\\. start it with [\`'"]?--(?:embeddings?|reranking|rerank)[\`'"]?)?`,
      'i',
    ),
  },
  {
    about: 'request',
    source: 'the templates of Llama, Mistral and Gemma, through llama-server and vLLM: 500 and 400',
    words: /conversation roles must alternate(?: user\/assistant(?:\/user\/assistant)?(?:\/\.\.\.)?)?/i,
  },
  { about: 'request', source: 'vLLM: 400 and 500', words: /is not a multimodal model/i },
  {
    about: 'request',
    source: 'vLLM: 400 and 500',
    words: /at most \d{1,6} (?:image|audio|video)\(?s?\)? may be provided in one (?:request|prompt)/i,
  },
  {
    about: 'request',
    source: 'vLLM: 400 and 500',
    words: /"?auto"? tool choice requires --enable-auto-tool-choice(?: and --tool-call-parser)?(?: to be set)?/i,
  },
  { about: 'request', source: 'Ollama: 500', words: /this model is missing data required for image input/i },
  { about: 'request', source: 'mlx-lm: 404 and 500', words: /only 'text' content type is supported/i },
  {
    about: 'request',
    source: 'Portkey: 500',
    words:
      /\b(?:complete|chatComplete|embed|messages|messagesCountTokens|createModelResponse|imageGenerate|createSpeech|createTranscription|rerank) is not supported by [a-z][a-z0-9-]{0,30}/,
  },
  { about: 'request', source: 'LiteLLM: 400 and 500', words: /litellm\.UnsupportedParamsError/ },
  {
    about: 'request',
    source: 'servers on pydantic: 500',
    words: /\b\d{1,4} validation errors? for [A-Z][A-Za-z]{0,40}Request\b/,
  },
  { about: 'output', source: 'Ollama, a tool call of its model: 500', words: /^error parsing tool call\b/i },
  {
    about: 'output',
    source: 'llama-server, a tool call of its model: 500',
    words: /^failed to parse input at pos \d{1,9}/i,
  },
  {
    about: 'output',
    source: 'llama-server, newer: 500',
    words: /^the model produced output that does not match the expected [\w-]{1,40} format/i,
  },
  {
    about: 'output',
    source: 'vLLM and SGLang with gpt-oss: 500',
    words:
      /unexpected token \d{1,9} while expecting start token \d{1,9}|unexpected tokens remaining in message header/i,
  },
  {
    about: 'output',
    source: 'Bedrock, models of Amazon: ModelErrorException',
    words: /model produced invalid sequence as part of tooluse/i,
  },
  {
    about: 'secret',
    source: 'LiteLLM without a database, to any secret that is not its own: 400',
    words: /^no connected db\.?$/i,
  },
  {
    about: 'secret',
    source: "Google's endpoint for chat completions: 400",
    words: /^api key not valid\. please pass a valid api key\.?$/i,
  },
]

/** An error is a few sentences; text beyond this length is ignored. */
const MAX_READ = 4000

/** What a provider's words judge; undefined for unknown words, and for those about the provider's own trouble. */
export function judgementIn(message: string): Judgement | undefined {
  const text = message.slice(0, MAX_READ).trim()
  for (const { about, words } of KNOWN) {
    const found = words.exec(text)?.[0]
    if (found !== undefined) return { about, words: found }
  }
  return undefined
}
