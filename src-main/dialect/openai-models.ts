// Which models are OpenAI's own, by their names: its API takes less than servers that are like it, and some of it more.

/** `gpt-oss` has open weights and is served by others. */
const OPENAI_MODEL = /^(?:openai\/)?(?:gpt-(?!oss)|chatgpt-|codex-|computer-use-|o\d)/i

export function isOpenAiModel(upstreamModel: string): boolean {
  return OPENAI_MODEL.test(upstreamModel)
}
