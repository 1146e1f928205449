// Writes docs/protocols.md from what the matrix finds out, so that the page cannot say anything else than the code does.

import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { ENDPOINTS, quirksOf, type ClientFormat } from '#dialect/dialects.ts'
import { FEATURES } from './features/all.ts'
import { ANSWER_FEATURES, type AnswerFeature } from './features/answers.ts'
import type { Feature } from './features/feature.ts'
import { ASKING } from './answers/all.ts'
import { foldWhole } from './fold.ts'
import { ALL_QUIRKS, outcomeOf, type Outcome } from './outcome.ts'
import { answer, CLIENTS, isPassed, PROVIDERS, sendOk, UPSTREAM_MODELS, type Pair, type ProviderName } from './pair.ts'

export const DOCUMENT = fileURLToPath(new URL('../../docs/protocols.md', import.meta.url))

const TITLES: Readonly<Record<ClientFormat, string>> = {
  chat: 'Chat completions',
  messages: 'Messages',
  responses: 'Responses',
  gemini: 'Gemini',
}
const PATHS: Readonly<Record<ClientFormat, string>> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
  gemini: '/v1beta/models/{model}:generateContent',
}

const INTRODUCTION = `# Protocols

This page is for whoever wants to know what becomes of a request when a tool speaks one format and the model's provider
another. It is written by a test that sends every feature below through every pair and looks at what arrives
(\`test/matrix\`), so it says what the code does.

## Pairs

Tools speak one of four **formats**: chat completions, messages, responses or Gemini. A provider speaks one of five
**dialects**: \`chat-completions\`, \`messages\`, \`responses\`, \`gemini\` or \`bedrock-converse\`. Any format can be used
with any dialect; a format and a dialect are a **pair**.

- **The same on both sides.** The client's bytes go to the provider and the provider's bytes come back. Edited are only
  the name of the model and the output cap, and in a stream of chat completions the switch that makes the provider
  report usage. What a format can hold that Farebox has never heard of reaches the provider, too. Mended is only what came
  from a provider of another dialect and would be refused, see [below](#sessions-that-change-their-provider).
- **Different.** The request is read, put in order and written anew. Calls and results of tools are brought into the
  order that providers insist on, results that are missing are filled in, and names of tools that a provider would not
  take are replaced on the way there and put back on the way back. The answer is translated as it arrives, a whole one
  by the same rules as a stream.

What a provider sealed, such as the signature of its reasoning, is kept for it: the client gets it wrapped in its own
format's opaque member and sends it back with the conversation, and it is unwrapped for the kind of provider that made
it. No provider is ever given another one's. What Claude sealed is good for Claude at Anthropic and at Amazon Bedrock.
A seal behind the text with which an answer ends is left out for clients of messages and responses, which take what is last
for the answer; providers ask for the seals of calls, which stand before their calls.

## Sessions that change their provider

A conversation can be begun on one provider and go on with another, between two turns or in the middle of a tool loop. What
the client brings back from the one is made fit for the other, in all formats and also where format and dialect are the
same; there every byte beside it stays as it was:

- **What was sealed.** Reasoning in Farebox's wrapping is taken out for every provider but those of the dialect that sealed
  it. So is reasoning without a seal, for Claude's models and in the responses format where the provider was told to keep
  nothing (\`store\` is false) or Farebox wrote the item; servers of open models get back what they showed. Named
  \`earlier reasoning\` or \`thinking signature\`.
- **Thinking in a tool loop.** Claude's models refuse a loop with thinking on whose turns have no thinking of their own.
  For such a request thinking is left off, until the user speaks again; named \`reasoning\`.
- **Ids of tool calls.** Every call in a translated answer has an id that is new in the conversation, of letters, digits,
  \`_\` and \`-\`, at most 40 of them: the provider's own where it is one, a new one elsewhere. In a request, ids
  that repeat or that the provider would refuse are replaced, alike for a call and its result, and in each request of the
  conversation by the same ones.
- **Answers in the responses format.** Servers that hold requests against OpenAI's schema refuse an answer without its
  \`id\`, \`status\` and \`annotations\`. It is sent to them as a plain text.

## What is said about losses

Nothing of a request is lost in silence. What a provider cannot be told is one of these:

- **dropped**, and named in the header \`x-farebox-dropped\` of the answer, by a name that the client knows, in a list with
  commas. The call goes on without it. Members that ask for nothing are not named;
- **refused** with 400 before anything is sent, where going on would give a wrong answer: content that would be missing,
  or something that is asked for in so many words. The error names the member and says what to do;
- **changed in number** in the header \`x-farebox-adjusted\`, such as \`max_tokens=4096\`: an output cap that was missing or
  above the model's maximum. This happens in all pairs.

An answer has no such header, because it is not known when its headers are sent: see [answers](#answers).

## Requests

The words of the tables:

| word       | means                                                                                         |
| ---------- | --------------------------------------------------------------------------------------------- |
| as it is   | passed on byte for byte; whether the provider takes it is for the provider to say             |
| kept       | sent to the provider, in the words of its dialect                                             |
| in part    | sent, but not all of it or not exactly; named in \`x-farebox-dropped\`                          |
| dropped    | not sent; named in \`x-farebox-dropped\`                                                        |
| refused    | the call is refused with 400; the sentences are [below](#refusals)                            |
| a setting  | sent if the provider's quirks say that it takes it; otherwise dropped                         |
| not needed | nothing has to be sent: it holds anyway, or Farebox sees to it itself                         |

`

const NOTE = `The tables hold for providers without quirks of their own and for these models. Older models of Anthropic and Google take
less of what has to do with reasoning, and more of what steers the choice of words.

| dialect | model |
| --- | --- |
${PROVIDERS.map((name) => `| \`${name}\` | \`${UPSTREAM_MODELS[name]}\` |`).join('\n')}
`

/** The page, as the formatter leaves it. */
export async function writeDocument(): Promise<string> {
  const options = await resolveConfig(DOCUMENT)
  const text = [
    INTRODUCTION,
    NOTE,
    ...CLIENTS.map(requestTable),
    droppedNames(),
    ANSWERS_INTRODUCTION,
    ...CLIENTS.map(answerTable),
    refusals(),
    passedEndpoints(),
  ].join('\n')
  return format(text, { ...options, parser: 'markdown' })
}

function passedEndpoints(): string {
  const rows = ENDPOINTS.flatMap(([, format]) =>
    format.family === undefined ? [] : [[`\`${format.paths[0]}\``, `\`${format.kind}\``, `\`${format.family}\``]],
  )
  const having = PROVIDERS.filter((dialect) => quirksOf({ dialect, quirks: {} }).routes.length > 0)
  const names = having.map((name) => `\`${name}\``).join(' and ')
  return `## Endpoints that are passed on

These are not translated: see [api.md](api.md#endpoints-that-are-passed-on). Providers that speak ${names} are taken to have them unless
their quirk \`routes\` says something else; others are not asked, and the call is refused with 404.

| endpoint | kind of the model | in \`routes\` |
| --- | --- | --- |
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}
`
}

function requestTable(client: ClientFormat): string {
  const rows = FEATURES[client].map((feature) => [
    feature.name,
    ...PROVIDERS.map((provider) => requestWord(pairOf(client, provider), feature)),
  ])
  return `### ${TITLES[client]}\n\n\`POST ${PATHS[client]}\`\n\n${table(rows)}`
}

function requestWord(pair: Pair, feature: Feature): string {
  const outcome = outcomeOf(pair, feature)
  if (pair.provider === 'chat-completions' && (outcome.type === 'dropped' || outcome.type === 'partly')) {
    const withQuirks = outcomeOf(pair, feature, { quirks: ALL_QUIRKS })
    if (withQuirks.type === 'kept' || withQuirks.type === 'own') return 'a setting'
  }
  return WORDS[outcome.type]
}

const WORDS: Readonly<Record<Outcome['type'], string>> = {
  passed: 'as it is',
  kept: 'kept',
  partly: 'in part',
  dropped: 'dropped',
  refused: 'refused',
  own: 'not needed',
  lost: 'LOST',
}

/** Members that nobody knows are named as the client wrote them. */
const UNKNOWN = 'members that nobody knows'

/** Every name that the header can hold here, with the features that it stands for. */
function droppedNames(): string {
  const byName = new Map<string, Set<string>>()
  for (const { pair, feature, outcome } of outcomes()) {
    if (outcome.type !== 'dropped' && outcome.type !== 'partly') continue
    if (feature.name === UNKNOWN) continue
    for (const name of outcome.names) {
      const features = byName.get(name) ?? new Set()
      byName.set(name, features.add(`${feature.name} (${TITLES[pair.client].toLowerCase()})`))
    }
  }
  const rows = [...byName].toSorted(([left], [right]) => (left < right ? -1 : 1))
  const body = rows.map(([name, features]) => `| \`${name}\` | ${[...features].join('; ')} |`)
  const head = '| in `x-farebox-dropped` | stands for |\n| --- | --- |'
  const note = 'Members that nobody knows stand there under their own names. In the header spaces are written as `_`.'
  return `### Names of what was dropped\n\n${note}\n\n${head}\n${body.join('\n')}\n`
}

const ANSWERS_INTRODUCTION = `## Answers

What a provider's answer holds and what of it a client of another format gets, streamed or whole. \`-\`: such a provider
does not give it.

| word     | means                                                                  |
| -------- | ---------------------------------------------------------------------- |
| as it is | passed on byte for byte                                                |
| kept     | the client gets it, in the words of its format                         |
| left out | the client does not get it; it is counted and charged all the same     |

A client that did not ask to see reasoning (in messages without \`thinking\`, for example) is not sent any. A tool call
whose arguments were cut off by the output cap is left out of a whole answer; in a stream its beginning is sent before
anybody knows, and the reason for the end (\`length\`, \`max_tokens\`, \`max_output_tokens\`) says that it must not be run.
Where a provider reports no usage, the client is told the estimate that it is charged for.

`

function answerTable(client: ClientFormat): string {
  const rows = ANSWER_FEATURES.map((feature) => [
    feature.name,
    ...PROVIDERS.map((provider) => answerWord(pairOf(client, provider), feature)),
  ])
  return `### For clients of ${TITLES[client].toLowerCase()}\n\n${table(rows)}`
}

function answerWord(pair: Pair, feature: AnswerFeature): string {
  const whole = feature.answers[pair.provider]
  if (whole === undefined) return '-'
  if (isPassed(pair)) return 'as it is'
  const { prepared } = sendOk(pair, ASKING[pair.client])
  const { text, failure } = answer(prepared, [Buffer.from(JSON.stringify(whole))])
  if (failure !== undefined) throw new Error(`${pair.name}, ${feature.name}: ${failure.message}`)
  return feature.isKept(text, foldWhole(pair.client, text)) ? 'kept' : 'left out'
}

/** The sentences of all refusals, and what they are about. */
function refusals(): string {
  const bySentence = new Map<string, { features: Set<string>; providers: Set<string> }>()
  for (const { pair, feature, outcome } of outcomes()) {
    if (outcome.type !== 'refused') continue
    const known = bySentence.get(outcome.message) ?? { features: new Set(), providers: new Set() }
    known.features.add(`${feature.name} (${TITLES[pair.client].toLowerCase()})`)
    known.providers.add(pair.provider)
    bySentence.set(outcome.message, known)
  }
  const rows = [...bySentence].map(
    ([sentence, { features, providers }]) =>
      `| ${[...features].join('; ')} | ${[...providers].join(', ')} | ${sentence.replaceAll('|', '\\|')} |`,
  )
  const head = '| what | dialects | the sentence |\n| --- | --- | --- |'
  return `## Refusals\n\nAll with status 400 (an item that nobody knows with 404) and the type \`invalid_request_error\`; \`param\` names the member.\n\n${head}\n${rows.join('\n')}\n`
}

function outcomes(): { readonly pair: Pair; readonly feature: Feature; readonly outcome: Outcome }[] {
  return CLIENTS.flatMap((client) =>
    FEATURES[client].flatMap((feature) =>
      PROVIDERS.map((provider) => {
        const pair = pairOf(client, provider)
        return { pair, feature, outcome: outcomeOf(pair, feature) }
      }),
    ),
  )
}

function pairOf(client: ClientFormat, provider: ProviderName): Pair {
  return { client, provider, name: `${client}-to-${provider}` }
}

function table(rows: readonly (readonly string[])[]): string {
  const head = ['', ...PROVIDERS.map((name) => `\`${name}\``)]
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return `${lines.join('\n')}\n`
}
