// Makes the certificate with which Farebox shows itself to other machines: signed by its own key, for a server, and of no use to sign
// another one. Its form is that of RFC 5280 with a key of P-256.

import { createHash, createPublicKey, sign, type KeyObject } from 'node:crypto'
import * as der from '#lan/der.ts'
import { parseAddress } from '#core/address.ts'

const DAY_MS = 86_400_000
/** Apple's systems accept at most 825 days, also of certificates that somebody trusted by hand. */
const CERTIFICATE_LIFE_MS = 730 * DAY_MS
/** Clocks of other machines may be behind. */
const BACKDATED_MS = DAY_MS

const OID = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  subjectAlternativeName: '2.5.29.17',
  subjectKeyIdentifier: '2.5.29.14',
  authorityKeyIdentifier: '2.5.29.35',
} as const

/** Tags of the choices in a subject's alternative names, and of the key identifier in an authority's. */
const DNS_NAME = 0x82
const IP_ADDRESS = 0x87
const KEY_IDENTIFIER = 0x80

export type CertificateRequest = {
  /** A private key of P-256. */
  readonly key: KeyObject
  /** Host names and addresses, at least one. */
  readonly names: readonly string[]
  /** UTC milliseconds. */
  readonly nowMs: number
  /** 16 random bytes. */
  readonly serial: Uint8Array
}

/** The certificate as PEM. */
export function makeCertificate({ key, names, nowMs, serial }: CertificateRequest): string {
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' })
  const keyId = keyIdOf(publicKey)
  const algorithm = der.sequence(der.objectIdentifier(OID.ecdsaWithSha256))
  const name = nameOf(keyId)
  const toBeSigned = der.sequence(
    // Version 3, the one with extensions.
    der.tagged(0xa0, der.integer(Buffer.from([2]))),
    der.integer(serial),
    algorithm,
    name,
    der.sequence(der.time(nowMs - BACKDATED_MS), der.time(nowMs + CERTIFICATE_LIFE_MS)),
    name,
    publicKey,
    der.tagged(0xa3, der.sequence(...extensionsOf(names, keyId))),
  )
  const certificate = der.sequence(toBeSigned, algorithm, der.bitString(sign('sha256', toBeSigned, key)))
  return pem(certificate)
}

/** Of the key alone, without what says which algorithm it is for (RFC 5280, 4.2.1.2): its last 65 bytes. */
function keyIdOf(publicKey: Buffer): Buffer {
  return createHash('sha1').update(publicKey.subarray(-65)).digest()
}

/** Two installations have different names, so that a machine which trusts both never takes one for the issuer of the other. */
function nameOf(keyId: Buffer): Buffer {
  const text = `Farebox ${keyId.subarray(0, 4).toString('hex')}`
  return der.sequence(der.set(der.sequence(der.objectIdentifier(OID.commonName), der.utf8String(text))))
}

function extensionsOf(names: readonly string[], keyId: Buffer): Buffer[] {
  return [
    // Empty: not an authority. Clients written with rustls refuse a server that is one.
    critical(OID.basicConstraints, der.sequence()),
    // There is no key usage: BoringSSL takes a certificate whose key may not sign certificates for one that somebody else issued, looks for that
    // issuer, and refuses. Tools that are made with Bun (opencode, Cline) could not be told to trust it.
    extension(OID.extendedKeyUsage, der.sequence(der.objectIdentifier(OID.serverAuth))),
    extension(OID.subjectAlternativeName, der.sequence(...names.map(alternativeName))),
    extension(OID.subjectKeyIdentifier, der.octetString(keyId)),
    extension(OID.authorityKeyIdentifier, der.sequence(der.tagged(KEY_IDENTIFIER, keyId))),
  ]
}

function extension(oid: string, value: Uint8Array): Buffer {
  return der.sequence(der.objectIdentifier(oid), der.octetString(value))
}

function critical(oid: string, value: Uint8Array): Buffer {
  return der.sequence(der.objectIdentifier(oid), der.trueValue(), der.octetString(value))
}

function alternativeName(name: string): Buffer {
  const address = parseAddress(name)
  if (address === undefined) return der.tagged(DNS_NAME, Buffer.from(name, 'latin1'))
  const bytes = Buffer.from(address.toString(16).padStart(32, '0'), 'hex')
  return der.tagged(IP_ADDRESS, name.includes(':') ? bytes : bytes.subarray(-4))
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
