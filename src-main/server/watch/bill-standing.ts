// How bills stood when they were last compared, for whoever asks often: the tray, and the figures.

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
