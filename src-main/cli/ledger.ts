// farebox ledger …

import { facts, printable, view } from '#cli/output.ts'
import { verb } from '#cli/verb.ts'

const verify = verb({
  name: 'ledger verify',
  usage: '',
  summary: 'recomputes every balance from the entries; exit code 1 when one does not fit',
  flags: {},
  async run(client) {
    const report = await client.call('verifyLedger', {})
    const counts = facts({
      ledger: report.ok ? 'ok' : 'does not add up',
      keys: report.keys,
      entries: report.entries,
      'open holds': report.open_holds,
      'usage records': report.usage_records,
    })
    const text = [counts, ...report.problems.map((problem) => `- ${printable(problem)}`)].join('\n')
    return { ...view(report, text), exitCode: report.ok ? 0 : 1 }
  },
})

export const LEDGER_VERBS = [verify]
