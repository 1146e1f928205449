// What is sent to a collector of OpenTelemetry, read by a decoder that shares nothing with the packages that write it. Numbers of fields are
// those of opentelemetry-proto 1.x (trace.proto, metrics.proto, common.proto).

import { bytesAt, doubleOf, messagesAt, numberAt, readMessage, textAt, type Message } from './protobuf.ts'

type Span = {
  readonly name: string
  readonly id: string
  readonly parent: string
  readonly kind: bigint | undefined
  readonly startNs: bigint
  readonly endNs: bigint
  readonly status: bigint
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Of the bodies of requests to `v1/traces`. */
export function spansIn(bodies: readonly Uint8Array[]): Span[] {
  return bodies.flatMap((body) =>
    messagesAt(readMessage(body), 1)
      .flatMap((resource) => messagesAt(resource, 2))
      .flatMap((scope) => messagesAt(scope, 2))
      .map((span) => ({
        name: textAt(span, 5) ?? '',
        id: bytesAt(span, 2),
        parent: bytesAt(span, 4),
        kind: numberAt(span, 6),
        startNs: numberAt(span, 7) ?? 0n,
        endNs: numberAt(span, 8) ?? 0n,
        status: messagesAt(span, 15).map((one) => numberAt(one, 3) ?? 0n)[0] ?? 0n,
        attributes: attributesOf(span, 9),
      })),
  )
}

type Point = {
  readonly count: number
  readonly sum: number
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Points of histograms, by the name and the unit of their metric; of the bodies of requests to `v1/metrics`. */
export function pointsIn(bodies: readonly Uint8Array[]): Record<string, Point[]> {
  const metrics = bodies
    .flatMap((body) => messagesAt(readMessage(body), 1))
    .flatMap((resource) => messagesAt(resource, 2))
    .flatMap((scope) => messagesAt(scope, 2))
  return Object.fromEntries(
    metrics.map((metric) => [
      `${textAt(metric, 1)} ${textAt(metric, 3)}`,
      messagesAt(metric, 9)
        .flatMap((histogram) => messagesAt(histogram, 1))
        .map((point) => ({
          count: Number(numberAt(point, 4)),
          sum: doubleOf(numberAt(point, 5) ?? 0n),
          attributes: attributesOf(point, 9),
        })),
    ]),
  )
}

function attributesOf(message: Message, field: number): Record<string, unknown> {
  return Object.fromEntries(
    messagesAt(message, field).map((pairOf) => [textAt(pairOf, 1), valueOf(messagesAt(pairOf, 2)[0])]),
  )
}

function valueOf(value: Message | undefined): unknown {
  if (value === undefined) return undefined
  const text = textAt(value, 1)
  if (text !== undefined) return text
  if (value.has(2)) return numberAt(value, 2) === 1n
  if (value.has(3)) return Number(numberAt(value, 3))
  return doubleOf(numberAt(value, 4) ?? 0n)
}
