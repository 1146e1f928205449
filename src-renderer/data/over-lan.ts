/** Whether this page came over the LAN, where everything is over TLS; this machine is served without. */
export function isOverLan(): boolean {
  return location.protocol === 'https:'
}
