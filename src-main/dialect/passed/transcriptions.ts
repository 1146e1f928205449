// Transcriptions: what is said in a recording, as text in its own language or in English. Providers count seconds or tokens; how many there
// are only they know, so that the size of the recording bounds both.

import { UpstreamFailure } from '#core/failure.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { tokenCount, type TokenUsage } from '#core/usage.ts'
import { reportedError } from '#dialect/chat-completions/reported-error.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import { readFields, writtenForm, type UploadedForm, type FormRules } from '#dialect/form.ts'
import { openAiEndpoint } from '#dialect/openai-endpoint.ts'
import { PassAnswer, type AnswerTap } from '#dialect/pass-answer.ts'
import { PassStream } from '#dialect/pass-stream.ts'
import type { PassedDialect, PassedRequest } from '#dialect/passed-dialect.ts'
import { audioLength, type AudioLength } from '#dialect/passed/audio-length.ts'
import { mediaUsage } from '#dialect/passed/media-usage.ts'
import { PieceAnswer, type PieceTap } from '#dialect/passed/piece-answer.ts'
import { plainRequest } from '#dialect/passed/plain-request.ts'
import { StreamOrWhole } from '#dialect/passed/stream-or-whole.ts'
import { SubtitleTimes } from '#dialect/passed/subtitle-times.ts'
import { TypedEventTap, type TypedEvents, type UntypedEvent } from '#dialect/passed/typed-events.ts'
import {
  booleanRule,
  checkFields,
  isRecord,
  numberRule,
  parseBody,
  readModel,
  stringRule,
  type BodyText,
} from '#dialect/request-body.ts'
import type { JsonObject } from '#dialect/turn.ts'

/** OpenAI counts 10 tokens for a second of sound. Nobody says more than 10 tokens in one. */
const TOKENS_PER_SECOND = 10
const LIKELY_OUTPUT_PER_SECOND = 4
const FRAME_TOKENS = 64

const FORM: FormRules = { files: { file: 1 }, numbers: ['temperature'], booleans: ['stream'] }
const RULES = [
  booleanRule('stream'),
  numberRule('temperature', 0, 1),
  ...['language', 'prompt', 'response_format'].map(stringRule),
]
/** Some models ignore that a stream was asked for. */
const STREAM_TYPES = /^(?:text\/event-stream|application\/json)\b/
/** Formats of answers that are no JSON. */
const PLAIN_FORMATS: readonly unknown[] = ['text', 'srt', 'vtt']
const PLAIN_TYPES = /^(?:text\/(?!html)|application\/(?:x-subrip|octet-stream))/

const FAMILY = { kind: 'transcription', family: 'transcriptions', makes: 'transcription' } as const

export const TRANSCRIPTIONS: PassedDialect = {
  ...openAiEndpoint('/audio/transcriptions'),
  ...FAMILY,
  readRequest: refuseJson,
  readForm: readRecording,
}

export const TRANSLATIONS: PassedDialect = {
  ...openAiEndpoint('/audio/translations'),
  ...FAMILY,
  readRequest: refuseJson,
  readForm: readRecording,
}

/** For endpoints that take forms alone. */
export function refuseJson(text: BodyText, byteLength: number): Refusal {
  const body = parseBody(text, byteLength)
  return isRefusal(body)
    ? body
    : refuse('invalid_request', "Send a form with a file: 'content-type: multipart/form-data'.")
}

function readRecording(form: UploadedForm): PassedRequest | Refusal {
  const read = readFields(form, FORM)
  if (isRefusal(read)) return read
  const { body, files } = read
  const model = readModel(body.value)
  if (isRefusal(model)) return model
  const [file] = files
  if (file === undefined) return refuse('invalid_request', "'file' is required.", { param: 'file' })
  const problem = checkFields(body.value, RULES)
  if (problem !== undefined) return problem
  const isPlain = PLAIN_FORMATS.includes(body.value['response_format'])
  // What is no JSON is not streamed in events either.
  const isStream = body.value['stream'] === true && !isPlain
  return {
    ...plainRequest(model, body),
    ...extentOf(audioLength(file)),
    isStream,
    inputCount: 1,
    isLone: false,
    references: () => [],
    form: (upstreamModel) => writtenForm(form, upstreamModel),
    ...answerOf(isStream, isPlain),
  }
}

function extentOf({ most, likely }: AudioLength) {
  return {
    units: { second: most },
    likelyUnits: { second: likely },
    media: { bytes: 0, tokens: most * TOKENS_PER_SECOND, likelyTokens: likely * TOKENS_PER_SECOND },
    output: {
      mostTokens: most * TOKENS_PER_SECOND + FRAME_TOKENS,
      likelyTokens: likely * LIKELY_OUTPUT_PER_SECOND,
    },
  }
}

function answerOf(isStream: boolean, isPlain: boolean): Pick<PassedRequest, 'mediaTypes' | 'newReader'> {
  if (isStream) return { mediaTypes: STREAM_TYPES, newReader: streamReader }
  if (!isPlain) return { newReader: wholeReader }
  return { mediaTypes: PLAIN_TYPES, newReader: () => new PieceAnswer(plainTap()) }
}

/** Of texts and subtitles, which report nothing; the times of subtitles say how long the recording is. */
function plainTap(): PieceTap {
  const times = new SubtitleTimes()
  return {
    push(chunk, said) {
      const text = chunk.toString('latin1')
      said.add(text)
      times.push(text)
    },
    end: () => undefined,
    likelyUnits: () => (times.seconds === undefined ? undefined : { second: times.seconds }),
  }
}

function streamReader(): AnswerReader {
  return new StreamOrWhole(new PassStream(new TypedEventTap(EVENTS)), wholeReader)
}

function wholeReader(): AnswerReader {
  return new PassAnswer(TAP)
}

const TAP: AnswerTap = {
  encoding: 'latin1',
  read({ error, text, usage, duration }, generated, inWords) {
    if (error !== undefined && error !== null) throw reportedError(inWords()['error'])
    if (typeof text !== 'string') throw new UpstreamFailure('malformed', 'The provider did not answer with a text.')
    generated.add(text)
    return recordingUsage(usage, duration)
  },
}

/** OpenAI's and Mistral's; vLLM sends the chunks of a chat. */
const EVENTS: TypedEvents = {
  ends: ['transcript.text.done', 'transcription.done'],
  times: 1,
  usage: ({ usage }) => recordingUsage(usage, undefined),
  text({ type, delta, text }) {
    if (type === 'transcript.text.delta') return delta
    return type === 'transcription.text.delta' ? text : undefined
  },
  untyped: readChunk,
}

function readChunk({ choices, usage }: JsonObject): UntypedEvent | undefined {
  if (!Array.isArray(choices)) return undefined
  const [choice] = choices.filter(isRecord)
  const { delta, finish_reason: finish } = choice ?? {}
  return {
    text: isRecord(delta) ? delta['content'] : undefined,
    isEnd: typeof finish === 'string',
    usage: isRecord(usage) ? recordingUsage(usage, undefined) : undefined,
  }
}

/** What a provider counted: tokens, or the seconds that it bills, or at least those that the recording has. */
function recordingUsage(usage: unknown, duration: unknown): TokenUsage {
  const billed = isRecord(usage) ? (usage['seconds'] ?? usage['prompt_audio_seconds']) : undefined
  const seconds = tokenCount(billed ?? (typeof duration === 'string' ? Number(duration) : duration))
  return mediaUsage(usage, seconds === undefined || seconds === 0 ? undefined : { second: seconds })
}
