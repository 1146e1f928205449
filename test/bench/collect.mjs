// Loaded into a Farebox whose memory is watched for an hour, started with --expose-gc: collects what nobody uses any more twice a
// minute, so that what is measured is what is kept, and not how long V8 puts its work off.
setInterval(() => globalThis.gc(), 30_000).unref()
