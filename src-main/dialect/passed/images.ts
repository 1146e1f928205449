// Images: made from a text, and made of other ones. What they cost goes by their size and quality, or by tokens that follow from these.

import { brokenOutput, UpstreamFailure } from '#core/failure.ts'
import { isRefusal, refuse, type Refusal } from '#core/refusal.ts'
import { reportedError } from '#dialect/chat-completions/reported-error.ts'
import { JsonSkeleton } from '#dialect/json-skeleton.ts'
import { readFields, writtenForm, type UploadedForm, type FormRules } from '#dialect/form.ts'
import { openAiEndpoint } from '#dialect/openai-endpoint.ts'
import type { PassedDialect, PassedRequest, UncappedOutput } from '#dialect/passed-dialect.ts'
import { PassStream } from '#dialect/pass-stream.ts'
import { mediaUsage } from '#dialect/passed/media-usage.ts'
import { PieceAnswer, type PieceTap } from '#dialect/passed/piece-answer.ts'
import { plainRequest } from '#dialect/passed/plain-request.ts'
import { refuseJson } from '#dialect/passed/transcriptions.ts'
import { TypedEventTap } from '#dialect/passed/typed-events.ts'
import {
  booleanRule,
  checkFields,
  countRule,
  isRecord,
  parseBody,
  readModel,
  requiredText,
  type BodyText,
  type FieldRule,
  type RequestBody,
} from '#dialect/request-body.ts'

const MAX_IMAGES = 10
const MAX_GIVEN_IMAGES = 16
const MAX_PARTIAL_IMAGES = 3

/** More than any size and quality that OpenAI documents comes to: an image of up to that many pixels, and a larger one for each as many. */
const TOKENS_OF_QUALITY: Readonly<Record<string, number>> = { low: 408, medium: 1584 }
const TOKENS_OF_IMAGE = 6240
const PIXELS_OF_IMAGE = 1024 * 1536
const TOKENS_OF_PARTIAL_IMAGE = 100
/** What a given image comes to at most, at the highest fidelity. */
const TOKENS_OF_GIVEN_IMAGE = 8000
const LIKELY_TOKENS_OF_GIVEN_IMAGE = 1600

const WORD = /^[A-Za-z0-9._-]{1,40}$/
const wordRule = (name: string): FieldRule => ({
  name,
  says: 'a word',
  allows: (value) => typeof value === 'string' && WORD.test(value),
})

const RULES: readonly FieldRule[] = [
  countRule('n', MAX_IMAGES),
  wordRule('size'),
  wordRule('quality'),
  booleanRule('stream'),
  {
    name: 'partial_images',
    says: `an integer from 0 to ${MAX_PARTIAL_IMAGES}`,
    allows: (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_PARTIAL_IMAGES,
  },
  {
    name: 'response_format',
    says: "'url' or 'b64_json'",
    allows: (value) => value === 'url' || value === 'b64_json',
  },
]

const FORM: FormRules = {
  files: { image: MAX_GIVEN_IMAGES, 'image[]': MAX_GIVEN_IMAGES, mask: 1 },
  numbers: ['n', 'partial_images', 'output_compression'],
  booleans: ['stream'],
}

const FAMILY = { kind: 'image', family: 'images', makes: 'images' } as const

export const IMAGES: PassedDialect = {
  ...openAiEndpoint('/images/generations'),
  ...FAMILY,
  readRequest: (text, byteLength) => readImageRequest(text, byteLength, () => ({})),
}

export const IMAGE_EDITS: PassedDialect = {
  ...openAiEndpoint('/images/edits'),
  ...FAMILY,
  readRequest: (text, byteLength) => readImageRequest(text, byteLength, givenImages),
  readForm: (form) => readImageForm(form, checkPrompt),
}

export const IMAGE_VARIATIONS: PassedDialect = {
  ...openAiEndpoint('/images/variations'),
  ...FAMILY,
  readRequest: refuseJson,
  readForm: (form) => readImageForm(form, () => undefined),
}

type Media = Pick<PassedRequest, 'media'>

function readImageRequest(
  text: BodyText,
  byteLength: number,
  mediaOf: (value: RequestBody['value']) => Media | Refusal,
): PassedRequest | Refusal {
  const body = parseBody(text, byteLength)
  if (isRefusal(body)) return body
  const media = mediaOf(body.value)
  if (isRefusal(media)) return media
  return checkPrompt(body) ?? imageRequest(body, media)
}

function readImageForm(form: UploadedForm, check: (body: RequestBody) => Refusal | undefined): PassedRequest | Refusal {
  const read = readFields(form, FORM)
  if (isRefusal(read)) return read
  const { body, files } = read
  const images = files.filter(({ name }) => name !== 'mask')
  if (images.length === 0) return refuse('invalid_request', "'image' is required.", { param: 'image' })
  const media = {
    bytes: 0,
    tokens: files.length * TOKENS_OF_GIVEN_IMAGE,
    likelyTokens: files.length * LIKELY_TOKENS_OF_GIVEN_IMAGE,
  }
  const request = check(body) ?? imageRequest(body, { media })
  return isRefusal(request) ? request : { ...request, form: (upstreamModel) => writtenForm(form, upstreamModel) }
}

function imageRequest(body: RequestBody, media: Media): PassedRequest | Refusal {
  const model = readModel(body.value)
  if (isRefusal(model)) return model
  const problem = checkFields(body.value, RULES)
  if (problem !== undefined) return problem
  const asked = imagesAsked(body.value)
  return {
    ...plainRequest(model, body),
    ...media,
    isStream: asked.isStream,
    inputCount: 1,
    isLone: false,
    references: () => [],
    units: { [imageName(asked)]: asked.count },
    output: outputOf(asked),
    newReader: () => (asked.isStream ? new PassStream(streamTap(asked)) : new PieceAnswer(answerTap(asked))),
  }
}

type ImagesAsked = {
  readonly count: number
  readonly size: string | undefined
  readonly quality: string | undefined
  readonly partialImages: number
  readonly isStream: boolean
}

function imagesAsked(value: RequestBody['value']): ImagesAsked {
  const { n, partial_images: partial, stream } = value
  return {
    count: typeof n === 'number' ? n : 1,
    size: wordIn(value['size']),
    quality: wordIn(value['quality']),
    partialImages: typeof partial === 'number' ? partial : 0,
    isStream: stream === true,
  }
}

/** What leaves the choice to the provider says nothing. */
function wordIn(value: unknown): string | undefined {
  return typeof value === 'string' && WORD.test(value) && value !== 'auto' ? value : undefined
}

/** Under which name an image has a price. */
function imageName({ size, quality }: Pick<ImagesAsked, 'size' | 'quality'>): string {
  if (size === undefined) return 'image'
  return quality === undefined ? `image/${size}` : `image/${size}/${quality}`
}

function outputOf({ count, size, quality, partialImages }: ImagesAsked): UncappedOutput {
  const [width = 0, height = 0] = (size ?? '').split('x').map(Number)
  const share = Math.max(1, (width * height || 0) / PIXELS_OF_IMAGE)
  const each = Math.ceil(share * (TOKENS_OF_QUALITY[quality ?? ''] ?? TOKENS_OF_IMAGE))
  const tokens = count * (each + partialImages * TOKENS_OF_PARTIAL_IMAGE)
  return { mostTokens: tokens, likelyTokens: tokens }
}

/** The images that a request brings, none of which is text, by their addresses or inside it. */
function givenImages({ images, mask }: RequestBody['value']): Media | Refusal {
  const wrong = (says: string) => refuse('invalid_request', `'images' ${says}.`, { param: 'images' })
  if (images === undefined || images === null) return wrong('is required')
  if (!Array.isArray(images) || images.length === 0) return wrong('must be a non-empty array')
  if (images.length > MAX_GIVEN_IMAGES) return wrong(`must have at most ${MAX_GIVEN_IMAGES} items`)
  if (!images.every(isRecord)) return wrong('must be an array of objects')
  if (mask !== undefined && mask !== null && !isRecord(mask)) {
    return refuse('invalid_request', "'mask' must be an object.", { param: 'mask' })
  }
  const all = isRecord(mask) ? [...images, mask] : images
  const bytes = all.reduce((sum, { image_url: url }) => sum + (typeof url === 'string' ? url.length : 0), 0)
  // What they probably come to follows from the size of the body.
  return { media: { bytes, tokens: all.length * TOKENS_OF_GIVEN_IMAGE, likelyTokens: 0 } }
}

function checkPrompt({ value }: RequestBody): Refusal | undefined {
  const prompt = requiredText(value, 'prompt')
  return isRefusal(prompt) ? prompt : undefined
}

/** What was made says its answer, where it says so, else the request. */
function made(asked: ImagesAsked, told: RequestBody['value']) {
  return imageName({ size: wordIn(told['size']) ?? asked.size, quality: wordIn(told['quality']) ?? asked.quality })
}

/** Images come as text of many megabytes, which is passed on as it comes. */
function answerTap(asked: ImagesAsked): PieceTap {
  const skeleton = new JsonSkeleton()
  return {
    push: (chunk) => skeleton.push(chunk),
    end() {
      const { error, data, usage, ...told } = skeleton.value() ?? {}
      if (error !== undefined && error !== null) throw reportedError(error)
      // Moderation leaves the list empty.
      if (Array.isArray(data) && data.length === 0) throw brokenOutput('The provider answered with no image.')
      if (!Array.isArray(data) || !data.every(isRecord)) {
        throw new UpstreamFailure('malformed', 'The provider did not answer with images.')
      }
      return mediaUsage(usage, { [made(asked, told)]: data.length })
    },
  }
}

function streamTap(asked: ImagesAsked): TypedEventTap {
  return new TypedEventTap({
    ends: ['image_generation.completed', 'image_edit.completed'],
    times: asked.count,
    usage: (event, times) => mediaUsage(event['usage'], { [made(asked, event)]: times }),
  })
}
