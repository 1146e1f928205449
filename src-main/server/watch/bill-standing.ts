// How bills stood when they were last compared, for whoever asks often: the tray, and the figures.

import { gauge, type Family } from '#server/watch/metrics-text.ts'

export type BillStanding = {
  /** undefined before the first comparison, and where no report is kept. */
  latest:
    | {
        /** The instant until which all of them agree; undefined where one does not from the beginning. */
        readonly agreedUntil: string | undefined
        /** Differences without a cause. */
        readonly unexplained: number
        /** In US dollars, as exact text. */
        readonly amount: string
        /** UTC milliseconds. */
        readonly comparedAtMs: number
      }
    | undefined
}

/** Of the last comparison; nothing where there was none. */
export function billFamilies({ latest }: BillStanding): Family[] {
  if (latest === undefined) return []
  const { agreedUntil, unexplained, amount, comparedAtMs } = latest
  const untilS = agreedUntil === undefined ? 0 : Date.parse(agreedUntil) / 1000
  return [
    gauge('farebox_bills_unexplained', 'Differences between bills and books that nothing explains.', unexplained),
    gauge('farebox_bills_unexplained_usd', 'How much money they are about.', Number(amount)),
    gauge('farebox_bills_agreed_until_seconds', 'Until when all bills agree; 0 where they do not.', untilS),
    gauge('farebox_bills_compared_seconds', 'When that was compared.', comparedAtMs / 1000),
  ]
}
