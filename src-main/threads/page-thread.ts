// The page thread: reads one large page of a provider, a list of models or a report, hands over what is needed of it, and ends.

import { parentPort, workerData } from 'node:worker_threads'
import { readReportPage } from '#bills/interfaces.ts'
import type { PageJob } from '#app/large-pages.ts'
import { readListText } from '#provider/listed-models.ts'

const port = parentPort
if (port === null) throw new Error('this file runs as a worker thread only')
const job = workerData as PageJob
port.postMessage(job.type === 'models' ? readListText(job.text, job.place) : readReportPage(job.text, job.page))
