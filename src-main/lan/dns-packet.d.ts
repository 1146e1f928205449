// The part of dns-packet that is used here. What it has read from a packet is anything.

declare module 'dns-packet' {
  type Question = { readonly name: string; readonly type: string }

  type Decoded = {
    readonly id: number
    readonly type: 'query' | 'response'
    readonly questions: readonly Question[]
    readonly answers: readonly DecodedRecord[]
    readonly authorities: readonly DecodedRecord[]
    readonly additionals: readonly DecodedRecord[]
  }
  type DecodedRecord = {
    readonly name: string
    readonly type: string
    readonly class?: string
    readonly ttl?: number
    readonly data?: unknown
  }

  type Encodable = {
    readonly type: 'query' | 'response'
    readonly id?: number
    readonly flags?: number
    readonly questions?: readonly Question[]
    readonly answers?: readonly EncodableRecord[]
    readonly authorities?: readonly EncodableRecord[]
    readonly additionals?: readonly EncodableRecord[]
  }
  type EncodableRecord = {
    readonly name: string
    /** Seconds. */
    readonly ttl: number
    readonly flush?: boolean
  } & EncodableData
  type EncodableData =
    | { readonly type: 'A' | 'AAAA' | 'PTR'; readonly data: string }
    | { readonly type: 'SRV'; readonly data: { readonly target: string; readonly port: number } }
    | { readonly type: 'TXT'; readonly data: readonly string[] }
    | { readonly type: 'NSEC'; readonly data: { readonly nextDomain: string; readonly rrtypes: readonly string[] } }

  export const AUTHORITATIVE_ANSWER: number
  export function encode(packet: Encodable): Buffer
  /** Throws for what it cannot read. */
  export function decode(bytes: Buffer): Decoded
}
