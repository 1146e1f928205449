// The listener for other machines, as the admin API shows and changes it.

import { Type, type Static } from 'typebox'
import { KnownName, NullableText, strict, Timestamp } from '#contract/fields.ts'

const File = Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\u0000]+$' })

/** Turns the LAN on. What is not said stays as it was. */
export const LanChange = strict({
  /** An address of this machine. Excludes `interface`. */
  address: Type.Optional(Type.String({ minLength: 2, maxLength: 45 })),
  /** The name of a network interface, such as `eth0`, whose address is taken as it is at each start. Excludes `address`. */
  interface: Type.Optional(KnownName),
  /** 0 takes any free one, and keeps it. */
  port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
  /** Host names under which other machines reach this one; they replace those there were. */
  names: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 253 }), { maxItems: 10 })),
  /** Whether administrators may administer over the LAN. Off unless said otherwise. */
  administration: Type.Optional(Type.Boolean()),
  /** A certificate of one's own, as absolute paths of PEM files on this machine; both or none. null: the one that Farebox makes. */
  certificate_file: Type.Optional(Type.Union([File, Type.Null()])),
  key_file: Type.Optional(Type.Union([File, Type.Null()])),
  /** Makes a new key and certificate even though the present ones would do. Whoever trusted the old one has to trust the new one. */
  new_certificate: Type.Optional(Type.Boolean()),
})

const CertificateView = strict({
  /** SHA-256 of the certificate, as 32 pairs of hexadecimal digits with colons between them. */
  fingerprint: Type.String(),
  /** `farebox` made it, or it is the administrator's own. */
  source: Type.Enum(['farebox', 'files']),
  /** The host names and addresses that it is for. */
  names: Type.Array(Type.String()),
  expires_at: Timestamp,
})

export const LanView = strict({
  /** `failed`: it is to be on and is not, for the reason in `problem`; `waiting`: it will be on once a gateway runs. */
  state: Type.Enum(['off', 'on', 'failed', 'waiting']),
  problem: NullableText,
  /** Where other machines reach it, such as `https://192.168.1.5:3273`; empty unless it is on. */
  urls: Type.Array(Type.String()),
  /** Whether the address can be reached from the internet too, as far as can be told from the address. */
  is_public: Type.Boolean(),
  /** As it is set, on or off; null where it never was. */
  settings: Type.Union([
    strict({
      address: NullableText,
      interface: NullableText,
      port: Type.Integer(),
      names: Type.Array(Type.String()),
      administration: Type.Boolean(),
      certificate_file: NullableText,
      key_file: NullableText,
    }),
    Type.Null(),
  ]),
  certificate: Type.Union([CertificateView, Type.Null()]),
  /** What can be chosen on this machine. */
  interfaces: Type.Array(strict({ name: Type.String(), address: Type.String(), is_public: Type.Boolean() })),
})

/** How it is in short. */
export const LanStatus = strict({
  state: LanView.properties.state,
  urls: LanView.properties.urls,
  problem: NullableText,
  /** null where none is in use. */
  certificate_expires_at: Type.Union([Timestamp, Type.Null()]),
})

/** For whoever reaches the gateway over the LAN. */
export const LanCertificate = strict({
  fingerprint: Type.String(),
  /** One that is the administrator's own may be trusted already. */
  source: CertificateView.properties.source,
  /** PEM. */
  certificate: Type.String(),
})

export type LanChange = Static<typeof LanChange>
export type LanView = Static<typeof LanView>
export type LanStatus = Static<typeof LanStatus>
export type LanCertificate = Static<typeof LanCertificate>
