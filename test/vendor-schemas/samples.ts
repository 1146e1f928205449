// What Farebox writes in its vendors' formats, each as the text that goes over the wire with the name of the type that it must be of
// (check.py). Only what Farebox writes itself: what passes through is the provider's or the client's.

import { isRefusal } from '#core/refusal.ts'
import type { ClientFormat } from '#dialect/dialects.ts'
import { ANSWERS, ASKING } from '../matrix/answers/all.ts'
import { FEATURES } from '../matrix/features/all.ts'
import { eventsOf } from '../matrix/fold.ts'
import {
  answer,
  CLIENTS,
  isPassed,
  PROVIDERS,
  send,
  sendOk,
  TRANSLATED_PAIRS,
  type Pair,
  type ProviderName,
} from '../matrix/pair.ts'
import { REQUESTS } from '../matrix/requests/all.ts'
import { Session } from '../matrix/session.ts'
import { StrictProvider } from '../matrix/strict-provider.ts'
import { bytesOf, readRecordings, type Recording } from '../support/recording.ts'

export type Sample = {
  /** The name of a type in check.py. */
  readonly schema: string
  readonly text: string
  /** Where it comes from, for whoever looks for it. */
  readonly from: string
}

/** undefined where check.py has no types of the vendor's. */
const REQUEST_SCHEMAS: Readonly<Record<ProviderName, string | undefined>> = {
  'chat-completions': 'chat request',
  messages: 'messages request',
  responses: 'responses request',
  gemini: 'gemini request',
  'bedrock-converse': undefined,
}

/** A stream as its events, as the client reads them. */
export function streamSamples(client: ClientFormat, text: string, from: string): Sample[] {
  return eventsOf(text).flatMap(({ data }) => {
    if (data === '[DONE]') return []
    return [{ schema: schemaOfEvent(client, data), text: data, from }]
  })
}

function schemaOfEvent(client: ClientFormat, data: string): string {
  const isError = data.startsWith('{"error"') || data.startsWith('{"type":"error"')
  if (client === 'responses' || !isError) return `${client} event`
  return `${client} error`
}

/** Every composed answer, whole and streamed, for every client of another format. */
export function composedAnswers(): Sample[] {
  return TRANSLATED_PAIRS.flatMap((pair) =>
    ANSWERS[pair.provider].flatMap(({ name, stream, whole }) => {
      const from = `${pair.name}: ${name}`
      const events = (stream ?? '').split(/(?<=\n\n)/).map((event) => Buffer.from(event))
      const streamed =
        stream === undefined ? [] : streamSamples(pair.client, answer(ask(pair, true), events).text, from)
      return whole === undefined
        ? streamed
        : [...streamed, ...wholeSamples(pair, [Buffer.from(JSON.stringify(whole))], from)]
    }),
  )
}

/** What real servers sent, for every client of another format. */
export function recordedAnswers(): Sample[] {
  return [...readRecordings()].flatMap(([file, recording]) => {
    const provider = PROVIDERS.find((name) => name === recording.dialect)
    if (provider === undefined || recording.status !== 200) return []
    return CLIENTS.flatMap((client) => recordedFor({ client, provider, name: `${client} from ${file}` }, recording))
  })
}

function recordedFor(pair: Pair, recording: Recording): Sample[] {
  if (isPassed(pair)) return []
  const chunks = bytesOf(recording)
  if (!recording.stream) return wholeSamples(pair, chunks, pair.name)
  return streamSamples(pair.client, answer(ask(pair, true), chunks).text, pair.name)
}

function wholeSamples(pair: Pair, chunks: readonly Buffer[], from: string): Sample[] {
  const { text, failure } = answer(ask(pair, false), chunks)
  return failure === undefined ? [{ schema: `${pair.client} answer`, text, from }] : []
}

function ask(pair: Pair, stream: boolean) {
  const { stream_options: options, ...asked } = { stream_options: undefined, ...ASKING[pair.client] }
  const body = stream && options !== undefined ? { ...asked, stream_options: options } : asked
  return sendOk(pair, stream ? { ...body, stream } : body).prepared
}

/** Every request of the golden files and every probe of a feature, for every provider of another dialect. */
export function translatedRequests(): Sample[] {
  return TRANSLATED_PAIRS.flatMap((pair) => {
    const probes = FEATURES[pair.client].map(({ name, body }) => [name, body] as const)
    return [...Object.entries(REQUESTS[pair.client]), ...probes].flatMap(([name, body]) => {
      const sent = send(pair, body)
      // Of what is refused nothing is sent.
      return isRefusal(sent) ? [] : requestSample(pair, sent.body, name)
    })
  })
}

/** Sessions that change their provider after each turn: what one answered goes to the other, also where both speak the client's format. */
export function sessionRequests(): Sample[] {
  return CLIENTS.flatMap((client) =>
    PROVIDERS.flatMap((first) => PROVIDERS.flatMap((second) => sessionOf(client, [first, second]))),
  )
}

function sessionOf(client: ClientFormat, providers: readonly [ProviderName, ProviderName]): Sample[] {
  const session = new Session(client)
  const strict = new Map(providers.map((provider) => [provider, new StrictProvider(provider, 'counted')]))
  return [2, 1, 0, 1, 2, 0].flatMap((calls, index) => {
    const provider = providers[index % 2 === 0 ? 0 : 1]
    const pair = { client, provider, name: `a session of ${client}, ${providers.join(' and ')}` }
    const exchangeId = `01a1fc79-d4e6-7000-857c-00000000000${index}`
    const { prepared, body } = sendOk(pair, session.request, { exchangeId })
    const whole = strict.get(provider)?.answer(body, calls)
    session.goOn(answer(prepared, [Buffer.from(JSON.stringify(whole))]).text)
    return requestSample(pair, body, `turn ${index + 1}`)
  })
}

function requestSample(pair: Pair, text: string, name: string): Sample[] {
  const schema = REQUEST_SCHEMAS[pair.provider]
  return schema === undefined ? [] : [{ schema, text, from: `${pair.name}: ${name}` }]
}
