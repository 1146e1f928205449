// The scan thread: reads the logs of this machine's tools once, hands over the sums, and ends. Logs may be gigabytes.

import { parentPort, workerData } from 'node:worker_threads'
import { cardPrices } from '#catalog/card-prices.ts'
import { scan, type ScanWish } from '#scan/scan.ts'
import { summaryOf, type ScanSummary } from '#scan/summary.ts'

export type ScanThreadData = Omit<ScanWish, 'priceOfModel'>
export type ScanThreadAnswer = { readonly summary: ScanSummary; readonly cardDate: string }

const port = parentPort
if (port === null) throw new Error('this file runs as a worker thread only')
const { date, priceOfModel } = cardPrices()
const summary = summaryOf(await scan({ ...(workerData as ScanThreadData), priceOfModel }))
port.postMessage({ summary, cardDate: date } satisfies ScanThreadAnswer)
