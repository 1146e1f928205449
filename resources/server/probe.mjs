// Asks the gateway of this machine whether it is alive (/health) or takes calls (/ready), for service managers and containers:
//
//   node probe.mjs /health [--wait SECONDS]
//
// Ends with 0 where the answer is 200. With --wait it asks again until it is, or the time is over.

const [path = '/health', flag, seconds = '0'] = process.argv.slice(2)
const port = process.env.FAREBOX_PORT || '3273'
const endsAt = Date.now() + (flag === '--wait' ? Number(seconds) : 0) * 1000

process.exitCode = (await isOk()) ? 0 : 1

async function isOk() {
  for (;;) {
    if (await ask()) return true
    if (Date.now() >= endsAt) return false
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

async function ask() {
  try {
    const signal = AbortSignal.timeout(2000)
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'error', signal })
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    // Nobody listens, or nobody answers: that is the answer.
    return false
  }
}
