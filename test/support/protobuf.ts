// Reads protobuf by the numbers of its fields, without anything of the program that wrote it (protobuf.dev/programming-guides/encoding).

export type Message = ReadonlyMap<number, readonly (Uint8Array | bigint)[]>

/** The fields of a message: bytes where they have a length, else the bits of the number. */
export function readMessage(bytes: Uint8Array): Message {
  const fields = new Map<number, (Uint8Array | bigint)[]>()
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new RangeError('the message ends within a number')
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }
  const fixed = (length: number): bigint => {
    let value = 0n
    for (let index = length - 1; index >= 0; index--) value = (value << 8n) | BigInt(bytes[at + index] ?? 0)
    at += length
    return value
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const kind = tag & 7
    if (![0, 1, 2, 5].includes(kind)) throw new RangeError(`there is no wire type ${kind}`)
    const values = fields.get(tag >> 3) ?? []
    fields.set(tag >> 3, values)
    if (kind === 0) values.push(varint())
    else if (kind === 2) {
      const end = Number(varint()) + at
      values.push(bytes.subarray(at, end))
      at = end
    } else values.push(fixed(kind === 1 ? 8 : 4))
  }
  return fields
}

export function messagesAt(message: Message, field: number): Message[] {
  return (message.get(field) ?? []).flatMap((value) => (typeof value === 'bigint' ? [] : [readMessage(value)]))
}

export function textAt(message: Message, field: number): string | undefined {
  const [value] = message.get(field) ?? []
  return typeof value === 'object' ? Buffer.from(value).toString('utf8') : undefined
}

export function bytesAt(message: Message, field: number): string {
  const [value] = message.get(field) ?? []
  return typeof value === 'object' ? Buffer.from(value).toString('hex') : ''
}

export function numberAt(message: Message, field: number): bigint | undefined {
  const [value] = message.get(field) ?? []
  return typeof value === 'bigint' ? value : undefined
}

export function doubleOf(bits: bigint): number {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(bits)
  return bytes.readDoubleLE()
}
