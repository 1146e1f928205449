// What the Gemini models take, by their names. Names are an open set: a Gemini model that is not known to be old is taken for
// one of the newest kind, any other model for one that can do the least.

export type GeminiFacts = {
  /** Takes no system instruction. */
  readonly isGemma: boolean
  readonly thinking: Thinking
  /** Refuses a function call of the current turn that comes without its thought signature. */
  readonly needsSignatures: boolean
  /** Takes media inside a function response. */
  readonly hasResponseMedia: boolean
  /** Fetches media from public https URLs. */
  readonly fetchesUrls: boolean
  /** Takes a response schema together with function declarations. */
  readonly hasJsonWithTools: boolean
  /** Takes the function calling mode VALIDATED. */
  readonly hasValidatedCalls: boolean
  /** Takes presence and frequency penalties. */
  readonly hasPenalties: boolean
}

export type Thinking =
  | { readonly type: 'none' }
  /** `canStop`: a budget of 0 is allowed below `minimum`. */
  | { readonly type: 'budget'; readonly minimum: number; readonly maximum: number; readonly canStop: boolean }
  | { readonly type: 'level'; readonly lowest: 'minimal' | 'low'; readonly hasMedium: boolean }

type Generation = 'old' | '2.5' | '3'

export function modelFacts(upstreamModel: string): GeminiFacts {
  const name = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1).toLowerCase()
  const generation = generationOf(name)
  const isNewest = generation === '3'
  return {
    isGemma: name.startsWith('gemma-'),
    thinking: thinkingOf(name, generation),
    needsSignatures: isNewest,
    hasResponseMedia: isNewest,
    fetchesUrls: generation !== 'old',
    hasJsonWithTools: isNewest,
    hasValidatedCalls: isNewest,
    hasPenalties: generation !== '2.5',
  }
}

function generationOf(name: string): Generation {
  if (!name.startsWith('gemini-')) return 'old'
  if (/^gemini-(?:pro|pro-vision|ultra|exp-.*|robotics-er-1.*)$/.test(name)) return 'old'
  const version = /^gemini-(\d{1,3})(?:\.(\d{1,3}))?(?:-|$)/.exec(name)
  if (version === null) return '3'
  const major = Number(version[1])
  if (major > 2) return '3'
  return major === 2 && Number(version[2] ?? 0) >= 5 ? '2.5' : 'old'
}

function thinkingOf(name: string, generation: Generation): Thinking {
  if (generation === 'old' || /-(?:image|tts|audio)(?:-|$)/.test(name)) return { type: 'none' }
  if (generation === '3') return levelsOf(name)
  if (name.includes('-pro')) return { type: 'budget', minimum: 128, maximum: 32_768, canStop: false }
  const minimum = name.includes('-lite') ? 512 : 1
  return { type: 'budget', minimum, maximum: 24_576, canStop: true }
}

/** The pro models have never known the level `minimal`, and the flash models lost it with version 3.7. */
function levelsOf(name: string): Thinking {
  if (name.includes('-pro')) return { type: 'level', lowest: 'low', hasMedium: !/^gemini-3-pro(?:-|$)/.test(name) }
  const flash = /^gemini-(\d{1,3})(?:\.(\d{1,3}))?-flash(?!-lite)/.exec(name)
  const version = flash === null ? 0 : Number(flash[1]) * 1000 + Number(flash[2] ?? 0)
  const isLow = version >= 3007 || name === 'gemini-flash-latest'
  return { type: 'level', lowest: isLow ? 'low' : 'minimal', hasMedium: true }
}
