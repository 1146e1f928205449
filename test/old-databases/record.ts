// Records the database of a released version of Farebox after everything that can be in one has happened:
//
//   node test/old-databases/record.ts LAUNCHER FILE.sql
//
// LAUNCHER is what starts a checkout of that version, such as its src-main/hosts/launch.mjs. It runs as its users run it, in front of the fake provider.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { postChat } from '../support/chat.ts'
import { endProcesses, startProcess, temporaryFolder, type FareboxProcess } from '../support/process.ts'
import { startUpstream } from '../support/upstream.ts'

const [launcher, file] = process.argv.slice(2)
if (launcher === undefined || file === undefined) throw new Error('usage: record.ts LAUNCHER FILE.sql')

const dataDir = join(await temporaryFolder(), 'data')
const upstream = await startUpstream()
const program = await startProcess({ dataDir, program: launcher })
const freeKey = await live(program, upstream.url)
await program.stop()
await upstream.close()
const dumped = spawnSync('sqlite3', [join(dataDir, 'farebox.db'), 'PRAGMA user_version;', '.dump'], {
  encoding: 'utf8',
})
if (dumped.status !== 0) throw new Error(dumped.stderr)
writeFileSync(file, `-- The key 'free': ${freeKey}\n${withVersion(dumped.stdout)}`)
await endProcesses()

/** A dump does not carry the version of the schema. */
function withVersion(text: string): string {
  const [version = '', ...lines] = text.split('\n')
  return [...lines, `PRAGMA user_version = ${version};`, ''].join('\n')
}

async function live({ admin, url }: FareboxProcess, upstreamUrl: string): Promise<string> {
  const provider = { name: 'fake', dialect: 'chat-completions' as const, base_url: upstreamUrl, secret: 'sk-old' }
  const model = {
    id: 'model-for-tests',
    context_window: 8000,
    max_output_tokens: 100,
    price: { input: 1, output: 2 },
    targets: [{ provider: 'fake', model: 'upstream-model' }],
  }
  const packages = [
    { name: 'month', type: 'monthly' as const, credits: 100, models: ['model-for-tests'] },
    {
      name: 'day',
      type: 'daily' as const,
      credits: 10,
      timezone: 'Europe/Berlin',
      limits: { requests_per_minute: 60 },
    },
    { name: 'bought', type: 'topup' as const, credits: 1 },
    { name: 'free', type: 'unlimited' as const },
  ]
  await admin.call('apply', { body: { document: { providers: [provider], models: [model], packages } } })
  await admin.call('addMember', { body: { name: 'Mia', password: 'a password of Mia', packages: ['bought'] } })
  await admin.call('createInvite', { body: { name: 'Nils', packages: ['day'] } })
  const keys = new Map<string, string>()
  for (const { name } of packages) keys.set(name, await useKey({ admin, url }, name))
  await admin.call('priceModel', { id: model.id, body: { input: 3, output: 4 } })
  await useKey({ admin, url }, 'bought', 'dear')
  return keys.get('free') ?? ''
}

async function useKey(
  { admin, url }: Pick<FareboxProcess, 'admin' | 'url'>,
  pack: string,
  name = pack,
): Promise<string> {
  const { key } = await admin.call('createKey', { body: { name, package: pack, expires: 'never' } })
  const of = { id: name }
  if (pack === 'bought') {
    await admin.call('topUpKey', { ...of, body: { credits: 20, reason: 'paid', idempotency_id: `${name}-1` } })
    await admin.call('adjustKey', { ...of, body: { credits: -1, reason: 'a mistake' } })
  }
  for (const options of [{}, { stream: true }, { max_tokens: 5 }]) {
    const response = await postChat({ url, key }, { model: 'model-for-tests', ...options })
    await response.text()
  }
  if (name === 'dear') await admin.call('revokeKey', of)
  if (name === 'day') await admin.call('moveKey', { ...of, body: { package: 'month' } })
  return name === 'free'
    ? (await admin.call('rotateKey', { ...of, body: { overlap: '24h', expires: 'never' } })).key
    : key
}
