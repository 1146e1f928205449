// Errors that say that a request is too long for its model. Coding tools compact their history when they read one, but each
// knows only the words of its own format's provider; so a translated error is put into the words that its client looks for.

/** What providers and servers of open models write. */
const OVERFLOW = new RegExp(
  [
    'prompt is too long',
    'prompt too long',
    'input is too long',
    'exceeds? (?:the |this |its )?(?:model.s )?(?:available |maximum |max |total )?context (?:window|length|size)',
    'context (?:window|length|size)(?: has been| was| is)? exceeded',
    'context window exceeds',
    'ContextWindowExceeded',
    'exceed_context_size',
    'maximum context length',
    'max context length',
    'maximum input length',
    'input length (?:\\(?\\d{1,12}\\)? )?exceeds',
    'prompt (?:length|tokens?)(?: \\(?\\d{1,12}(?: tokens)?\\)?)? exceeds',
    'prompt exceeds (?:the |its )?(?:max|model|limit)',
    'available context size',
    'maximum prompt length',
    'maximum model length',
    'input token count',
    'token count of \\d+ exceeds the limit',
    'reduce the length of the (?:messages|input|prompt)',
    '(?:greater|longer) than the (?:maximum |model.s )?context length',
    'too long to fit into the model',
    'context length (?:of|is) only',
    'model token limit',
    'context[_ ]length[_ ]exceeded',
    'exceed context limit',
    'too many tokens(?:: total| overall| in the (?:prompt|input|request))',
    'input tokens exceed',
    'range of input length should be',
    '`inputs` (?:tokens \\+ `max_new_tokens` )?must (?:be <=|have less than)',
  ].join('|'),
  'i',
)
/** Rates and quotas are told in tokens as well, and a shorter history does not help against them. */
const RATE = /rate.?limit|quota|throttl|please wait|tokens? per (?:min|hour|day|sec)|\((?:TPM|TPD)\)/i

/** Errors are a few sentences; what comes behind them is not looked at. */
const MAX_READ = 4000

export type Overflow = {
  readonly usedTokens: number | undefined
  readonly maximumTokens: number | undefined
  /** Where the input alone would fit: what of the used tokens was to be written. */
  readonly outputTokens?: number | undefined
}

/** The code that says it without words. */
export const OVERFLOW_CODE = 'context_length_exceeded'
/** That code, and what llama-server has in its place. */
const OVERFLOW_NAMES: ReadonlySet<string | undefined> = new Set([OVERFLOW_CODE, 'exceed_context_size_error'])

/** The numbers of an overflow; undefined for an error that is about something else. `names` are its code and its type. */
export function readOverflow(message: string, names: readonly (string | undefined)[] = []): Overflow | undefined {
  const words = message.slice(0, MAX_READ)
  const isNamed = names.some((name) => OVERFLOW_NAMES.has(name))
  if (!isNamed && (!OVERFLOW.test(words) || RATE.test(words))) return undefined
  const numbers = numbersIn(words)
  const [first, second] = numbers
  const isPair = numbers.length === 2 && first !== undefined && second !== undefined
  const maximumTokens = maximumIn(words) ?? (isPair ? Math.min(first, second) : undefined)
  if (maximumTokens === undefined) return { usedTokens: undefined, maximumTokens }
  const parts = partsIn(words)
  if (parts !== undefined && parts.input < maximumTokens && parts.input + parts.output > maximumTokens) {
    return { usedTokens: parts.input + parts.output, maximumTokens, outputTokens: parts.output }
  }
  return { usedTokens: numbers.find((number) => number > maximumTokens), maximumTokens }
}

/** The code for an overflow where an error's code or type says that it is one. */
export function overflowName(names: readonly unknown[]): string | undefined {
  return names.some((name) => typeof name === 'string' && OVERFLOW_NAMES.has(name)) ? OVERFLOW_CODE : undefined
}

/** What of an overflow's words may be kept: those that are known, with the counts. */
export function overflowWords({ usedTokens, maximumTokens }: Overflow, message: string): string {
  const words = OVERFLOW.exec(message.slice(0, MAX_READ))?.[0] ?? OVERFLOW_CODE
  if (maximumTokens === undefined) return words
  return `${words} (${usedTokens === undefined ? '' : `${usedTokens} tokens, `}maximum ${maximumTokens})`
}

/** OpenAI's sentence, in front of the provider's own. */
export function openAiOverflowText({ maximumTokens }: Overflow, words: string): string {
  if (/maximum context length/i.test(words)) return words
  const length = maximumTokens === undefined ? '' : ` is ${maximumTokens} tokens`
  return `This model's maximum context length${length === '' ? ' is exceeded' : length}. ${words}`
}

/** The limit by the word beside it, the surest first: other numbers are called a length as well. */
const MAXIMA: readonly RegExp[] = [
  /maximum (?:context|prompt|model) length (?:is|of) (\d[\d,]*)/i,
  /context length (?:is only|of only|is|of) (\d[\d,]*)/i,
  /context (?:length|size) \((\d[\d,]*)/i,
  /> (\d[\d,]*)/,
  /maximum number of tokens allowed \(?(\d[\d,]*)/i,
  /(?<![\d,])(\d[\d,]*) maximum context length/i,
  /input length should be \[\d+, (\d[\d,]*)/i,
  /must (?:be <=|have less than) (\d[\d,]*)/i,
  /cannot exceed (\d[\d,]*)/i,
  /exceeds the maximum(?: of| length of| length)? (\d[\d,]*)/i,
  /limit(?: of| is|:)? (\d[\d,]*)/i,
  /(?:length|window|maximum)(?: of| is|:)? (\d[\d,]*)/i,
]

/** Longer ones are no count of tokens. */
const MAX_DIGITS = 12

function maximumIn(words: string): number | undefined {
  for (const pattern of MAXIMA) {
    const found = pattern.exec(words)?.[1]
    if (found !== undefined && found.length <= MAX_DIGITS) return countOf(found)
  }
  return undefined
}

/** Numbers that stand alone and can be counts of tokens; not those in `gpt-4-0613` or `claude-3-5-sonnet-20241022`. */
function numbersIn(words: string): readonly number[] {
  return Array.from(words.matchAll(/(?<![\w.,-])(\d[\d,]{2,11})(?![\w,]|[.-]\d)/g), ([, found = '']) => countOf(found))
}

/** How much was to be read and how much to be written, in the sentences that say so. */
function partsIn(words: string): { readonly input: number; readonly output: number } | undefined {
  // OpenAI and those who copy it: (4000 in the messages, 1000 in the completion).
  const listed = /\((\d{1,9}) (?:in|of|from) [^,()]{1,40}, (\d{1,9}) (?:in|for) the (?:completion|output)\)/i.exec(
    words,
  )
  // vLLM: 'max_tokens' is too large: 5000. [...] your request has 2000 input tokens.
  const asked = /max[\w' ]{0,60}tokens'? is too large: (\d{1,9})\./i.exec(words)
  const had = /your request has (\d{1,9}) input tokens/i.exec(words)
  if (listed !== null) return { input: Number(listed[1]), output: Number(listed[2]) }
  return asked === null || had === null ? undefined : { input: Number(had[1]), output: Number(asked[1]) }
}

function countOf(digits: string): number {
  return Number(digits.replaceAll(',', ''))
}
