// What an endpoint has to be able to do whose calls nobody translates. The table of those that do is passed/routes.ts.

import type { ModelKind } from '#core/entities.ts'
import type { RouteFamily } from '#core/quirks.ts'
import type { Refusal } from '#core/refusal.ts'
import type { Units } from '#core/usage.ts'
import type { AnswerReader } from '#dialect/answer.ts'
import type { Endpoint, PassEdits } from '#dialect/dialect.ts'
import type { UploadedForm, UploadBody } from '#dialect/form.ts'
import type { BodyText, RequestBody } from '#dialect/request-body.ts'

/** The format of an endpoint that a provider has too, and is sent what the client sent, or has not. */
export interface PassedDialect extends Endpoint {
  /** The kind of model that serves it. */
  readonly kind: ModelKind
  /** What a provider must have for it. */
  readonly family: RouteFamily
  /** What it makes, in words that follow "has no". */
  readonly makes: string
  /** Where a provider takes it. */
  readonly path: string
  /** Checks what decides where the call goes and what it costs, or refuses with the member that is wrong. */
  readRequest(text: BodyText, byteLength: number): PassedRequest | Refusal
  /** The same of a form with files; undefined where it takes none. */
  readForm?(form: UploadedForm): PassedRequest | Refusal
}

/** A request of which nothing but a few members is ever changed. */
export type PassedRequest = {
  readonly model: string
  readonly isStream: boolean
  /** How many answers are generated whose length the request may cap; 0 where none is. */
  readonly choices: number
  readonly outputCap: number | undefined
  /** Bytes of the request that the answers may repeat, and no provider counts as output. */
  readonly echoedBytes?: number
  /** How many tokens the client sent as tokens; undefined where it sent anything else. */
  readonly tokenCount: number | undefined
  /** How many inputs there are, each of which may fill the context. */
  readonly inputCount: number
  /** Whether there is one text alone, which can be no longer than the context. */
  readonly isLone: boolean
  /** What makes the input larger than the request, in words; made when it is asked for. */
  readonly references: () => readonly string[]
  /** Bytes that are read again beside each further input. */
  readonly rereadBytes?: number
  /** What it may come to use that is not tokens. */
  readonly units?: Units
  /** What they probably are where nobody says it; the same where it is left out. */
  readonly likelyUnits?: Units
  /** Bytes of it that are no text, the most tokens that they come to, and how many they probably are beyond what its size says. */
  readonly media?: { readonly bytes: number; readonly tokens: number; readonly likelyTokens: number }
  /** Output of which the request caps nothing; undefined where there is none. */
  readonly output?: UncappedOutput
  /** Of an answer that is neither JSON nor events. */
  readonly mediaTypes?: RegExp
  readonly body: RequestBody
  /** The request's text for a provider. */
  edit(edits: PassedEdits): string
  /** The form that it is sent in place of the text; undefined where there is none. */
  form?(upstreamModel: string): UploadBody
  newReader(): AnswerReader
}

/** Tokens of an output that is no text: how many there can be, and how many there are where nobody says. */
export type UncappedOutput = { readonly mostTokens: number; readonly likelyTokens: number }

export type PassedEdits = Pick<PassEdits, 'upstreamModel' | 'outputCap' | 'quirks'>
