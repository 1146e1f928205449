// Checks the prices of this repository, and makes the signed file that Farebox fetches. Needs Node 22 or later and nothing else.
//
//   node build.mjs check             says what is wrong; exit code 1 where anything is
//   node build.mjs keygen KEY_FILE   makes a key, and prints the public part, which goes into FAREBOX_PRICE_FEED_KEYS
//   node build.mjs sign KEY_FILE     writes price-card.json with the number that is in VERSION

import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const NEEDED = ['preset', 'model', 'display_name', 'kind', 'context_window', 'price', 'source', 'date']
const KINDS = ['chat', 'embedding']

/** Everything that is wrong with the entries, each as `FILE, MODEL: what`. `today` is a day such as `2026-11-27`. */
export function problemsOf(files, today) {
  const names = new Map()
  return files.flatMap(({ name, entries }) => {
    if (!Array.isArray(entries)) return [`${name}: it is no list of entries`]
    return entries.flatMap((entry) => {
      const wrong = [...problemsOfEntry(entry, today)]
      for (const model of [entry.model, ...(Array.isArray(entry.also) ? entry.also : [])]) {
        const known = `${entry.preset} ${model}`
        if (names.has(known)) wrong.push(`${model} is in ${names.get(known)} already`)
        names.set(known, name)
      }
      return wrong.map((says) => `${name}, ${entry.model}: ${says}`)
    })
  })
}

function* problemsOfEntry(entry, today) {
  for (const field of NEEDED) if (entry[field] === undefined) yield `'${field}' is missing`
  if (!KINDS.includes(entry.kind)) yield `'kind' is none of ${KINDS.join(', ')}`
  if (!isPage(entry.source)) yield `'source' is no https:// address of a page`
  if (!isDay(entry.date)) yield `'date' is no day`
  else if (entry.date > today) yield `'date' is yet to come`
  if (entry.price !== null)
    for (const [field, value] of Object.entries(entry.price ?? {})) yield* problemsOfPrice(field, value)
  for (const [field, { source, read } = {}] of Object.entries(entry.sources ?? {})) {
    if (!isPage(source) || !isDay(read) || read > today) yield `'sources.${field}' has no page or no day`
  }
}

function* problemsOfPrice(field, value) {
  const isAmount = typeof value === 'number' && Number.isFinite(value) && value >= 0
  // Steps, tiers and units have a shape of their own, which Farebox checks.
  if (typeof value === 'object' ? value === null : !isAmount)
    yield `'price.${field}' is no amount of dollars for a million tokens`
}

function isPage(text) {
  return typeof text === 'string' && text.startsWith('https://') && URL.canParse(text)
}

function isDay(text) {
  return DAY.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)
}

/** The signed file. */
export function signedCard({ version, entries, privateKey }) {
  const date = entries
    .map((entry) => entry.date)
    .toSorted()
    .at(-1)
  const card = { type: 'farebox-price-card', version, unit: 'USD per million tokens', date, entries }
  const signed = JSON.stringify(card)
  return JSON.stringify({ signed, signature: sign(null, Buffer.from(signed), privateKey).toString('base64') })
}

/** 32 bytes in base64. */
export function publicKeyText(privateKey) {
  return Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x, 'base64url').toString('base64')
}

function readFiles(folder) {
  const names = readdirSync(join(folder, 'prices')).filter((name) => name.endsWith('.json'))
  return names
    .toSorted()
    .map((name) => ({ name, entries: JSON.parse(readFileSync(join(folder, 'prices', name), 'utf8')) }))
}

function main([command, file]) {
  const folder = import.meta.dirname
  if (command === 'keygen' && file !== undefined) {
    const { privateKey } = generateKeyPairSync('ed25519')
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' })
    return print(publicKeyText(privateKey))
  }
  const isKnown = command === 'check' || (command === 'sign' && file !== undefined)
  if (!isKnown) return fail(['node build.mjs check | keygen KEY_FILE | sign KEY_FILE'])
  const files = readFiles(folder)
  const problems = problemsOf(files, new Date().toISOString().slice(0, 10))
  if (problems.length > 0) return fail(problems)
  const entries = files.flatMap((one) => one.entries)
  if (command === 'check') return print(`${entries.length} prices, each with a source and a day.`)
  const version = Number(readFileSync(join(folder, 'VERSION'), 'utf8').trim())
  if (!Number.isInteger(version) || version < 1) return fail(['VERSION has to be a whole number from 1 on.'])
  const privateKey = createPrivateKey(readFileSync(file, 'utf8'))
  writeFileSync(join(folder, 'price-card.json'), signedCard({ version, entries, privateKey }))
  return print(`price-card.json is version ${version}, signed with ${publicKeyText(privateKey)}.`)
}

function print(line) {
  process.stdout.write(`${line}\n`)
}

function fail(lines) {
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exitCode = 1
}

if (process.argv[1] === import.meta.filename) main(process.argv.slice(2))
