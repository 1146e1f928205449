// farebox status: whether a gateway runs on the data folder, and how it is.

import { facts, time, view } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'
import type { StatusView } from '#contract/schemas.ts'

const status = verb({
  name: 'status',
  usage: '',
  summary: 'says whether a gateway runs on the data folder, and how it is',
  flags: {},
  whenStopped: view({ state: 'stopped' }, 'stopped'),
  async run(client) {
    const answer = await client.call('status', {})
    return view(answer, details(answer))
  },
})

export const STATUS_VERBS = [status]

function details(answer: StatusView): string {
  return facts({
    state: answer.state,
    version: answer.version,
    url: answer.url,
    pid: answer.pid,
    'data folder': answer.data_dir,
    started: time(answer.started_at),
    ledger: answer.ledger,
    secrets: answer.secrets,
    'open exchanges': answer.open_exchanges,
    'held credits': answer.held_credits,
    providers: answer.providers,
    models: answer.models,
    packages: answer.packages,
    keys: answer.keys,
  })
}
