// Loaded into a Farebox whose memory is watched for an hour, started with --expose-gc: collects what nobody uses any more twice a
// minute and gives its pages back, so that what is measured is what is kept, and not how long V8 puts its work off.
const COLLECTION = { type: 'major', execution: 'sync', flavor: 'last-resort' }
setInterval(() => void globalThis.gc(COLLECTION), 30_000).unref()
