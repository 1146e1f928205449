// Lines that have a machine trust the certificate of the LAN.

import { certificatePath, shellOf, type Shell } from '#renderer/data/snippets.ts'

export const SYSTEMS = ['linux', 'macos', 'windows'] as const
export type System = (typeof SYSTEMS)[number]

export function systemOf(userAgent: string): System {
  if (shellOf(userAgent) === 'powershell') return 'windows'
  return userAgent.includes('Mac OS') ? 'macos' : 'linux'
}

export function shellFor(system: System): Shell {
  return system === 'windows' ? 'powershell' : 'sh'
}

/** Writes the certificate to the home folder, where the lines for tools look for it. */
export function saveLines(system: System, pem: string): string {
  const blocks = certificatesIn(pem)
  const path = certificatePath(shellFor(system))
  return system === 'windows'
    ? `@'\n${blocks}\n'@ | Set-Content -Encoding ascii ${path}`
    : `cat > ${path} <<'END'\n${blocks}\nEND`
}

/** Has every program of the machine, or of its user, trust the certificate that was saved. */
export function wholeSystemLines(system: System): string {
  switch (system) {
    case 'linux':
      return `sudo cp ${certificatePath('sh')} /usr/local/share/ca-certificates/farebox.crt\nsudo update-ca-certificates`
    case 'macos':
      return `security add-trusted-cert -k ~/Library/Keychains/login.keychain-db ${certificatePath('sh')}`
    case 'windows':
      return `certutil -user -addstore Root ${certificatePath('powershell')}`
  }
}

/** Nothing but certificates goes into a terminal, whatever else stands in the file that they come from. */
function certificatesIn(pem: string): string {
  const blocks = pem
    .replaceAll('\r', '')
    .match(/-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+-----END CERTIFICATE-----/g)
  return (blocks ?? []).join('\n')
}
