// `node test/release/sign.ts FOLDER VERSION`, in the job that holds the key: FAREBOX_RELEASE_KEY is the PEM of an Ed25519 key, and
// FAREBOX_RELEASE_PUBLIC_KEYS what the packages carry. The key is never written anywhere.

import { listOf, signRelease } from './release.ts'

const [folder = '', version = ''] = process.argv.slice(2)
const { files } = signRelease({
  folder,
  version,
  privateKey: process.env['FAREBOX_RELEASE_KEY'] ?? '',
  publicKeys: listOf(process.env['FAREBOX_RELEASE_PUBLIC_KEYS']),
  nowMs: Date.now(),
})
for (const { name, kind, arch } of files) process.stdout.write(`${kind} ${arch}  ${name}\n`)
