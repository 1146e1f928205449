// `npm run test:clients`: the real command line programs against a real Farebox and a scripted provider. Arguments are parts
// of names; with them, only the scenarios that contain one of them run. The programs are downloaded once; afterwards nothing
// but 127.0.0.1 is reachable.
import { install } from './install.ts'
import { isAlone, runAlone } from './alone.ts'
import { openLab } from './lab.ts'
import { Report } from './report.ts'
import { scenarios } from './scenarios.ts'

const wanted = process.argv.slice(2)
const installed = await install()
process.exitCode = isAlone() ? await runScenarios() : await runAlone(process.argv)

async function runScenarios(): Promise<number> {
  const report = new Report()
  const lab = await openLab(installed)
  try {
    for (const scenario of scenarios) {
      if (wanted.length > 0 && !wanted.some((part) => scenario.name.includes(part))) continue
      await report.run(
        scenario.name,
        () => scenario.run(lab),
        () => lab.printed(),
      )
    }
  } finally {
    await lab.close()
  }
  return report.close()
}
